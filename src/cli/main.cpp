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

namespace {

/// Standard output, written when it is flushed: at the end, and where a command waits for an answer.
class StandardOutput : public std::stringbuf {
public:
    const flashlens::cli::Written& written() const { return written_; }

protected:
    int sync() override {
        if (written_.complete) {
            written_ = flashlens::cli::write_all(STDOUT_FILENO, str());
        }
        str("");
        return 0;
    }

private:
    flashlens::cli::Written written_;
};

}  // namespace

int main(int argc, char** argv) {
    using namespace flashlens;
    // A reader that has seen enough (| head -1) must not kill the program: what it did is in the exit code.
    std::signal(SIGPIPE, SIG_IGN);
    StandardOutput out;
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const report::Surroundings surroundings = report::surroundings_here();
    std::ostream stream(&out);
    const int code = cli::run(arguments, cli::real_explorer(), surroundings, stream, std::cerr);
    stream.flush();
    const cli::Written& written = out.written();
    if (!written.complete && !written.reader_left) {
        cli::tell(say("standard output: {}", written.reason), cli::language_of(arguments, surroundings), surroundings,
                  std::cerr);
        return code == cli::all_right ? cli::could_not_run : code;
    }
    return code;
}
