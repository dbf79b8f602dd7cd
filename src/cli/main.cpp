#include <unistd.h>

#include <csignal>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "say.h"

int main(int argc, char** argv) {
    using namespace flashlens;
    // A reader that has seen enough (| head -1) must not kill the program: what it did is in the exit code.
    std::signal(SIGPIPE, SIG_IGN);
    std::ostringstream out;
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const report::Surroundings surroundings = report::surroundings_here();
    const int code = cli::run(arguments, cli::real_explorer(), surroundings, out, std::cerr);
    const cli::Written written = cli::write_all(STDOUT_FILENO, out.str());
    if (!written.complete && !written.reader_left) {
        cli::tell(say("standard output: {}", written.reason), cli::language_of(arguments, surroundings), surroundings,
                  std::cerr);
        return code == cli::all_right ? cli::could_not_run : code;
    }
    return code;
}
