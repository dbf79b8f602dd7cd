#include "report/source_words.h"

#include <array>
#include <cstddef>

namespace flashlens::report {
namespace {

struct TopicTexts {
    Text title, of_v1, of_v2, of_v2_tuned;  ///< where v2-tuned does as v2, of v2-tuned is v2's
};

constexpr std::array topic_texts{
    TopicTexts{Text::source_grid, Text::source_grid_v1, Text::source_grid_v2, Text::source_grid_tuned},
    TopicTexts{Text::source_splits, Text::source_splits_v1, Text::source_splits_v2, Text::source_splits_tuned},
    TopicTexts{Text::source_tiles, Text::source_tiles_v1, Text::source_tiles_v2, Text::source_tiles_tuned},
    TopicTexts{Text::source_before_loop, Text::source_before_loop_v1, Text::source_before_loop_v2,
               Text::source_before_loop_v2},
    TopicTexts{Text::source_loops, Text::source_loops_v1, Text::source_loops_v2, Text::source_loops_tuned},
    TopicTexts{Text::source_traits, Text::source_traits_v1, Text::source_traits_v2, Text::source_traits_v2},
    TopicTexts{Text::source_rows_and_keys, Text::source_rows_and_keys_v1, Text::source_rows_and_keys_v2,
               Text::source_rows_and_keys_v2},
    TopicTexts{Text::source_row_maximum, Text::source_row_maximum_v1, Text::source_row_maximum_v2,
               Text::source_row_maximum_tuned},
    TopicTexts{Text::source_row_sum, Text::source_row_sum_v1, Text::source_row_sum_v2, Text::source_row_sum_v2},
    TopicTexts{Text::source_warp_output, Text::source_warp_output_v1, Text::source_warp_output_v2,
               Text::source_warp_output_v2},
    TopicTexts{Text::source_quad_shuffles, Text::source_quad_shuffles_v1, Text::source_quad_shuffles_v2,
               Text::source_quad_shuffles_v2},
    TopicTexts{Text::source_last_steps, Text::source_last_steps_v1, Text::source_last_steps_v2,
               Text::source_last_steps_v2},
    TopicTexts{Text::source_normalisation, Text::source_normalisation_v1, Text::source_normalisation_v2,
               Text::source_normalisation_v2},
    TopicTexts{Text::source_log_sum_exp, Text::source_log_sum_exp_v1, Text::source_log_sum_exp_v2,
               Text::source_log_sum_exp_v2},
    TopicTexts{Text::source_write_out, Text::source_write_out_v1, Text::source_write_out_v2, Text::source_write_out_v2},
    TopicTexts{Text::source_between_passes, Text::source_between_passes_v1, Text::source_between_passes_v2,
               Text::source_between_passes_v2},
};

}  // namespace

std::string step_title(teaching::Step step, Language language) {
    constexpr std::array names{Text::source_step_load,  Text::source_step_loop,    Text::source_step_scores,
                               Text::source_step_mask,  Text::source_step_maximum, Text::source_step_exponentials,
                               Text::source_step_sum,   Text::source_step_convert, Text::source_step_output,
                               Text::source_step_merge, Text::source_step_rescale, Text::source_step_lse,
                               Text::source_step_write, Text::source_step_barrier};
    return std::string(text(language, names[static_cast<std::size_t>(step)]));
}

std::string stage_title(teaching::Stage stage, Language language) {
    constexpr std::array names{Text::source_stage_launch, Text::source_stage_mainloop, Text::source_stage_warps,
                               Text::source_stage_epilogue};
    return std::string(text(language, names[static_cast<std::size_t>(stage)]));
}

std::string topic_title(teaching::Topic topic, Language language) {
    return std::string(text(language, topic_texts[static_cast<std::size_t>(topic)].title));
}

std::string topic_note(teaching::Topic topic, std::string_view variant, Language language) {
    const TopicTexts& texts = topic_texts[static_cast<std::size_t>(topic)];
    return std::string(text(language, variant == "v1"   ? texts.of_v1
                                      : variant == "v2" ? texts.of_v2
                                                        : texts.of_v2_tuned));
}

}  // namespace flashlens::report
