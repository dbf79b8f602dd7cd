#include "cli/explorer_seam.h"
#include "explorer/ladder.h"
#include "explorer/models.h"
#include "explorer/npy.h"
#include "explorer/variant.h"

namespace flashlens::cli {

Explorer real_explorer() {
    Explorer explorer;
    explorer.compare = compare;
    explorer.explain = explain;
    explorer.timeline = timeline;
    explorer.sweep = [](const SweepRequest& request) { return sweep(request); };
    explorer.bench = [](const BenchRequest& request) { return bench(request); };
    explorer.card_here = [](Message* why) { return card_here(why); };
    explorer.read_shape = read_shape;
    explorer.apply_model = [](std::string_view name, Problem& problem) { apply(find_model(name), problem); };
    explorer.variant_names = variant_names();
    explorer.names_between = names_between();
    explorer.ladder = ladder_variants();
    explorer.graph = graph_variants();
    for (const ModelShape& model : models()) {
        explorer.model_names.emplace_back(model.name);
    }
    return explorer;
}

}  // namespace flashlens::cli
