#include "report/walk_view.h"

#include <algorithm>
#include <utility>

#include "report/walk_page.h"

namespace flashlens::report {
namespace {

using teaching::Walk;

/// Puts on a page what is on the walk's page of that number.
void write(WalkPage& to, std::size_t page) {
    if (page == 0) {
        problem_on_page(to);
        return;
    }
    --page;
    for (const Walk& walk : to.show().walks) {
        if (page < walk.steps.size()) {
            step_on_page(to, walk, page);
            return;
        }
        if (page == walk.steps.size()) {
            result_on_page(to, walk);
            return;
        }
        page -= walk.steps.size() + 1;
    }
    difference_on_page(to);
}

}  // namespace

std::size_t walk_pages(const WalkShow& show) {
    std::size_t pages = 1;
    for (const Walk& walk : show.walks) {
        pages += walk.steps.size() + 1;
    }
    return pages + (show.walks.size() > 1 ? 1 : 0);
}

std::string walk_page(const WalkShow& show, std::size_t page, Language language, const Terminal& terminal,
                      std::optional<int> lines) {
    std::string text;
    for (const Density density : {Density::roomy, Density::plain, Density::dense, Density::terse}) {
        WalkPage made(show, language, terminal, density);
        write(made, page);
        text = std::move(made).finished();
        if (!lines || std::count(text.begin(), text.end(), '\n') <= *lines) {
            break;
        }
    }
    return text;
}

std::string all_walk_pages(const WalkShow& show, Language language, const Terminal& terminal) {
    std::string all;
    for (std::size_t page = 0; page < walk_pages(show); ++page) {
        all += (page > 0 ? "\n" : "") + walk_page(show, page, language, terminal);
    }
    return all;
}

}  // namespace flashlens::report
