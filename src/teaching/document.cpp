#include "teaching/document.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <utility>

#include "split.h"

namespace flashlens::teaching {
namespace {

std::string_view view(const MD_ATTRIBUTE& attribute) {
    return {attribute.text, attribute.size};
}

/// Those that the lessons' Markdown has any use for; others stay as they are written.
std::string_view of_entity(std::string_view entity) {
    constexpr std::array entities = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", "\u00a0"}});
    for (const auto& [name, text] : entities) {
        if (name == entity) {
            return text;
        }
    }
    return entity;
}

Align align_of(MD_ALIGN align) {
    switch (align) {
        case MD_ALIGN_LEFT:
            return Align::left;
        case MD_ALIGN_CENTER:
            return Align::centre;
        case MD_ALIGN_RIGHT:
            return Align::right;
        case MD_ALIGN_DEFAULT:
            break;
    }
    return Align::none;
}

/// Without comments that begin a line; each leaves a blank one, so that it ends what is above (md4c takes it for a row of a
/// table), but within a list, whose items it would part. Code is left alone.
std::string without_comments(std::string_view markdown) {
    std::string result;
    bool in_code = false;
    bool in_comment = false;
    for (const std::string& line : split(markdown, '\n')) {
        const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
        const std::string_view text = std::string_view(line).substr(begin);
        if (!in_comment && text.starts_with("```")) {
            in_code = !in_code;
        }
        const bool opens = !in_code && !in_comment && text.starts_with("<!--");
        if (!opens && !in_comment) {
            result += line + "\n";
            continue;
        }
        in_comment = text.find("-->") == std::string_view::npos;
        result += !in_comment && begin == 0 ? "\n" : "";
    }
    return result;
}

/// Puts the blocks together in the order in which md4c meets them.
class Builder {
public:
    Builder() : open_(1) {}

    void enter(MD_BLOCKTYPE type, const void* detail) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                open({.kind = Block::Kind::quote});
                break;
            case MD_BLOCK_UL:
                open({.kind = Block::Kind::list,
                      .tight = static_cast<const MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0});
                break;
            case MD_BLOCK_OL: {
                const auto* list = static_cast<const MD_BLOCK_OL_DETAIL*>(detail);
                open({.kind = Block::Kind::list, .ordered = true, .first = list->start, .tight = list->is_tight != 0});
                break;
            }
            case MD_BLOCK_LI:
                open({.kind = Block::Kind::item});
                break;
            case MD_BLOCK_HR:
                open({.kind = Block::Kind::rule});
                break;
            case MD_BLOCK_H:
                open({.kind = Block::Kind::heading,
                      .level = static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level)});
                break;
            case MD_BLOCK_CODE:
                open({.kind = Block::Kind::code,
                      .language = std::string(view(static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)->lang))});
                break;
            case MD_BLOCK_P:
                open({.kind = Block::Kind::paragraph});
                break;
            case MD_BLOCK_TABLE:
                open({.kind = Block::Kind::table});
                break;
            case MD_BLOCK_TR:
                top().rows.emplace_back();
                break;
            case MD_BLOCK_TH:
                top().columns.push_back(align_of(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align));
                top().rows.back().emplace_back();
                break;
            case MD_BLOCK_TD:
                top().rows.back().emplace_back();
                break;
            case MD_BLOCK_HTML:
                html_.clear();
                break;
            case MD_BLOCK_DOC:
            case MD_BLOCK_THEAD:
            case MD_BLOCK_TBODY:
                break;
        }
    }

    void leave(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_QUOTE:
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
            case MD_BLOCK_LI:
            case MD_BLOCK_HR:
            case MD_BLOCK_H:
            case MD_BLOCK_CODE:
            case MD_BLOCK_P:
            case MD_BLOCK_TABLE:
                close();
                break;
            case MD_BLOCK_HTML:
                take_html(html_);
                break;
            case MD_BLOCK_DOC:
                while (open_.size() > 1) {
                    close();
                }
                break;
            default:
                break;
        }
    }

    void enter_span(MD_SPANTYPE type, const void* detail) { styles_.push_back(styled(type, detail)); }
    void leave_span() { styles_.pop_back(); }

    void text(MD_TEXTTYPE type, std::string_view text) {
        switch (type) {
            case MD_TEXT_HTML:
                html_ += text;
                return;
            case MD_TEXT_BR:
            case MD_TEXT_SOFTBR:
                add("\n");
                return;
            case MD_TEXT_ENTITY:
                add(of_entity(text));
                return;
            case MD_TEXT_NULLCHAR:
                add("\ufffd");
                return;
            default:
                add(text);
        }
    }

    std::vector<Block> take() { return std::move(open_.front().children); }

private:
    Block& top() { return open_.back(); }
    void open(Block block) { open_.push_back(std::move(block)); }
    void close() {
        Block done = std::move(open_.back());
        open_.pop_back();
        top().children.push_back(std::move(done));
    }

    /// The style inside: that around it, and its own.
    Span styled(MD_SPANTYPE type, const void* detail) const {
        Span style = styles_.empty() ? Span{} : styles_.back();
        style.strong = style.strong || type == MD_SPAN_STRONG;
        style.emphasis = style.emphasis || type == MD_SPAN_EM;
        style.code = style.code || type == MD_SPAN_CODE;
        if (type == MD_SPAN_A) {
            style.target = view(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
        } else if (type == MD_SPAN_IMG) {
            style.image = true;
            style.target = view(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src);
        }
        return style;
    }

    void add(std::string_view text) {
        Block& block = top();
        if (block.kind == Block::Kind::code) {
            block.text += text;
            return;
        }
        if (block.kind == Block::Kind::item) {
            // A tight list's items have text without a paragraph around it.
            if (block.children.empty() || block.children.back().kind != Block::Kind::paragraph) {
                block.children.push_back({.kind = Block::Kind::paragraph});
            }
            add_to(block.children.back().spans, text);
        } else {
            add_to(block.kind == Block::Kind::table ? block.rows.back().back() : block.spans, text);
        }
    }
    void add_to(Spans& spans, std::string_view text) const {
        Span span = styles_.empty() ? Span{} : styles_.back();
        const auto same = [&](const Span& other) {
            return other.strong == span.strong && other.emphasis == span.emphasis && other.code == span.code &&
                   other.image == span.image && other.target == span.target;
        };
        if (!spans.empty() && same(spans.back())) {
            spans.back().text += text;
            return;
        }
        span.text = text;
        spans.push_back(std::move(span));
    }

    /// Of a block of HTML: <details> opens one, </details> closes it.
    void take_html(std::string_view html) {
        for (;;) {
            const std::size_t opens = html.find("<details");
            const std::size_t closes = html.find("</details");
            if (opens == std::string_view::npos && closes == std::string_view::npos) {
                return;
            }
            if (closes < opens) {
                if (top().kind == Block::Kind::details) {
                    close();
                }
                html.remove_prefix(closes + 1);
                continue;
            }
            constexpr std::string_view tag = "<summary>";
            const std::size_t begin = html.find(tag, opens);
            const std::size_t end = html.find("</summary>", opens);
            Block details{.kind = Block::Kind::details};
            if (begin < end && end != std::string_view::npos) {
                details.spans.push_back(
                    {.text = std::string(html.substr(begin + tag.size(), end - begin - tag.size()))});
            }
            open(std::move(details));
            html.remove_prefix(opens + 1);
        }
    }

    std::vector<Block> open_;  ///< the page, and the blocks that are not closed yet, from the outermost on
    Spans styles_;             ///< of the spans around the text at hand
    std::string html_;
};

Builder& builder(void* user) {
    return *static_cast<Builder*>(user);
}

}  // namespace

std::vector<Block> parse_document(std::string_view markdown) {
    Builder result;
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
        builder(user).enter(type, detail);
        return 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
        builder(user).leave(type);
        return 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
        builder(user).enter_span(type, detail);
        return 0;
    };
    parser.leave_span = [](MD_SPANTYPE, void*, void* user) {
        builder(user).leave_span();
        return 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
        builder(user).text(type, {text, size});
        return 0;
    };
    const std::string text = without_comments(markdown);
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &result);
    return result.take();
}

std::string plain_text(const Spans& spans) {
    std::string result;
    for (const Span& span : spans) {
        for (const char c : span.text) {
            result += c == '\n' ? ' ' : c;
        }
    }
    return result;
}

}  // namespace flashlens::teaching
