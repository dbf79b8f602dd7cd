#include "cli/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include "cli/output.h"
#include "message.h"
#include "reason.h"
#include "say.h"

namespace flashlens::cli {
namespace {

// What a signal handler needs to give the terminal back: it can reach nothing but globals.
termios terminal_before;
termios terminal_now;
bool full_screen = false;
std::array<int, 2> wake{-1, -1};  // a pipe: a signal must wake the one who waits for a key, however late it comes

constexpr std::array all_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};
std::array<struct sigaction, all_signals.size()> actions_before;

constexpr std::string_view enter_codes = "\x1b[?1049h\x1b[?25l";  // the alternate screen; no cursor
constexpr std::string_view leave_codes = "\x1b[?25h\x1b[?1049l";

void write_quietly(std::string_view codes) {
    if (full_screen) {
        [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, codes.data(), codes.size());
    }
}

void take() {
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal_now);
    write_quietly(enter_codes);
}

void give_back() {
    write_quietly(leave_codes);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal_before);
}

void wake_up() {
    [[maybe_unused]] const ssize_t written = write(wake[1], "!", 1);
}

// Only what POSIX allows in a handler: write, tcsetattr, sigaction, raise.
extern "C" void on_signal(int signal) {
    const int error = errno;
    if (signal == SIGWINCH) {
        wake_up();
    } else if (signal == SIGTSTP) {
        give_back();
        raise(SIGSTOP);  // returns when the shell lets the program go on
        take();
        wake_up();
    } else {
        give_back();
        std::signal(signal, SIG_DFL);
        raise(signal);  // ends the program when this handler returns, with the status that the shell expects
    }
    errno = error;
}

/// All zero when the terminal does not say.
winsize window() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

/// Whether a byte comes within the time in which a terminal sends the rest of an escape sequence.
bool more_at_once() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 50) == 1 && (input.revents & POLLIN) != 0;
}

/// One byte of standard input; false at its end.
bool read_byte(char& byte) {
    ssize_t count = 0;
    do {
        count = read(STDIN_FILENO, &byte, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1;
}

/// After an escape: "[A" or "OA", "[5~" and their like.
Key escape_sequence() {
    using Kind = Key::Kind;
    char byte = 0;
    if (!more_at_once() || !read_byte(byte)) {
        return {Kind::escape};
    }
    if (byte != '[' && byte != 'O') {
        return {Kind::other};
    }
    std::string sequence;
    while (more_at_once() && read_byte(byte)) {
        sequence += byte;
        if (byte >= '@' && byte <= '~') {
            break;
        }
    }
    struct Named {
        std::string_view sequence;
        Kind kind;
    };
    constexpr std::array names = std::to_array<Named>({{"A", Kind::up},
                                                       {"B", Kind::down},
                                                       {"C", Kind::right},
                                                       {"D", Kind::left},
                                                       {"H", Kind::home},
                                                       {"F", Kind::end},
                                                       {"1~", Kind::home},
                                                       {"4~", Kind::end},
                                                       {"5~", Kind::page_up},
                                                       {"6~", Kind::page_down}});
    const auto found = std::find_if(names.begin(), names.end(), [&](const Named& n) { return n.sequence == sequence; });
    return {found == names.end() ? Kind::other : found->kind};
}

}  // namespace

Screen::Screen(bool dumb) : dumb_(dumb) {
    if (tcgetattr(STDIN_FILENO, &terminal_before) != 0) {
        throw Failure(say("standard input is no terminal, so no keys come from it"));
    }
    if (pipe2(wake.data(), O_NONBLOCK | O_CLOEXEC) != 0) {
        throw Failure(say("can't wait for keys: {}", reason_of_errno()));
    }
    terminal_now = terminal_before;
    // Ctrl-C and Ctrl-Z stay signals, and a newline still goes to the line's start.
    terminal_now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    terminal_now.c_iflag |= static_cast<tcflag_t>(ICRNL);
    terminal_now.c_cc[VMIN] = 1;
    terminal_now.c_cc[VTIME] = 0;
    full_screen = !dumb;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigfillset(&action.sa_mask);
    for (std::size_t i = 0; i < all_signals.size(); ++i) {
        sigaction(all_signals[i], nullptr, &actions_before[i]);
        const bool ignored = actions_before[i].sa_handler == SIG_IGN;  // nohup: stays so
        if (!ignored) {
            sigaction(all_signals[i], &action, nullptr);
        }
    }
    take();
}

Screen::~Screen() {
    give_back();
    for (std::size_t i = 0; i < all_signals.size(); ++i) {
        sigaction(all_signals[i], &actions_before[i], nullptr);
    }
    close(wake[0]);
    close(wake[1]);
}

int Screen::columns() const {
    const int columns = window().ws_col;
    return columns > 0 ? columns : 80;
}

int Screen::lines() const {
    const int lines = window().ws_row;
    return lines > 0 ? lines : 24;
}

void Screen::show(std::string_view text) {
    std::string all;
    if (dumb_) {
        all = text;
    } else {
        // Each line's rest and the rest below are cleared after they are written over: nothing flickers.
        all = "\x1b[H";
        for (const char c : text) {
            all += c == '\n' ? std::string("\x1b[K\n") : std::string(1, c);
        }
        all += "\x1b[K\x1b[J";
    }
    const Written written = write_all(STDOUT_FILENO, all);
    if (!written.complete && !written.reader_left) {
        throw Failure(say("standard output: {}", written.reason));
    }
}

Key Screen::key() {
    for (;;) {
        if (const std::optional<Key> next = key(-1)) {
            return *next;
        }
    }
}

std::optional<Key> Screen::key(int milliseconds) {
    using Kind = Key::Kind;
    std::array<pollfd, 2> sources{{{STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}}};
    if (poll(sources.data(), sources.size(), milliseconds) < 0) {
        return errno == EINTR ? std::nullopt : std::optional(Key{Kind::closed});
    }
    if ((sources[1].revents & POLLIN) != 0) {
        std::array<char, 64> ignored{};
        while (read(wake[0], ignored.data(), ignored.size()) > 0) {
        }
        return Key{Kind::redraw};
    }
    if (sources[0].revents == 0) {
        return std::nullopt;
    }
    char byte = 0;
    constexpr char control_d = 4;
    constexpr char escape = 27;
    constexpr char del = 127;
    if (!read_byte(byte) || byte == control_d) {
        return Key{Kind::closed};
    }
    if (byte == '\n' || byte == '\r') {
        return Key{Kind::enter};
    }
    if (byte == del || byte == '\b') {
        return Key{Kind::backspace};
    }
    if (byte == escape) {
        return escape_sequence();
    }
    return byte >= ' ' && byte < del ? Key{Kind::character, byte} : Key{Kind::other};
}

}  // namespace flashlens::cli
