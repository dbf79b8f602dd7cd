#include <string>

#include "cli/commands.h"
#include "report/devices_view.h"
#include "report/json.h"

namespace flashlens::cli {

int run_devices(const Context& context) {
    check_outputs(context);
    Message why;
    const std::optional<hardware::Card> here = context.explorer.card_here(&why);
    deliver(context, report::show_devices(here, why, context.language, context.terminal),
            {{"--json", [&] { return report::devices_to_json(here, why); }}});
    return all_right;
}

}  // namespace flashlens::cli
