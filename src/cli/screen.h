// A terminal that shows one page at a time and answers to single keys. For commands that somebody pages through.
#pragma once

#include <optional>
#include <string_view>

namespace flashlens::cli {

struct Key {
    enum class Kind {
        character,  ///< printable ASCII
        enter,
        backspace,
        escape,
        up,
        down,
        left,
        right,
        page_up,
        page_down,
        home,
        end,
        redraw,  ///< no key: the window has another size, or the program was stopped and goes on
        closed,  ///< no more keys will come: Ctrl-D, or the terminal is gone
        other,
    };
    Kind kind = Kind::other;
    char character = 0;

    bool is(char wanted) const { return kind == Kind::character && character == wanted; }
};

/// Takes over the terminal of standard input and output: keys come one by one without an echo, pages replace each other
/// and leave what was on the screen before alone. All is as it was before when this object is gone, and also when a
/// signal ends the program (Ctrl-C, a kill, a lost connection) or stops it (Ctrl-Z). One at a time.
class Screen {
public:
    /// A dumb terminal knows no escape codes: pages are then printed one below the other. Throws std::runtime_error when
    /// standard input is no terminal.
    explicit Screen(bool dumb);
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    int columns() const;  ///< of the window now; 80 when it does not say
    int lines() const;    ///< of the window now; 24 when it does not say

    /// Replaces what is shown. Throws std::runtime_error when it can't be written.
    void show(std::string_view text);
    /// Waits for the next key.
    Key key();
    /// The same for so long; nothing: none came.
    std::optional<Key> key(int milliseconds);

private:
    bool dumb_;
};

}  // namespace flashlens::cli
