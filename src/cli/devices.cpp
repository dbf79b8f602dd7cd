#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "report/devices_view.h"
#include "report/json.h"

namespace flashlens::cli {

int run_devices(const Context& context) {
    if (context.given.has("--json")) {
        check_writable("--json", std::string(context.given.text("--json")));
    }
    std::string why;
    const std::optional<hardware::Card> here = context.explorer.card_here(&why);
    deliver(context, report::show_devices(here, why, context.language, context.terminal),
            report::devices_to_json(here, why));
    return all_right;
}

}  // namespace flashlens::cli
