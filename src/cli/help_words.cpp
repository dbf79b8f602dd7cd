#include "cli/help_words.h"

#include <array>

namespace flashlens::cli {
namespace {

using enum Command;

constexpr std::array compare_examples = std::to_array<std::string_view>({
    "flashlens -b 1 -H 8 -s 1024 --causal",
    "flashlens compare --model llama3-8b --seqlen 256 --dtype bf16 --json -",
    "flashlens compare --input data/minilm --output /tmp/out",
});
constexpr std::array explain_examples = std::to_array<std::string_view>({
    "flashlens explain -s 16384 -H 1 -b 1 --gpu \"RTX 3090\"",
    "flashlens explain --model llama3-8b --variants v1,v2,v2-tuned",
});
constexpr std::array map_examples = std::to_array<std::string_view>({
    "flashlens map",
    "flashlens map --view sms -b 1 -H 8 -s 4096 --gpu \"RTX 4090\"",
    "flashlens map --view blocks --svg blocks.svg",
});
constexpr std::array ladder_examples = std::to_array<std::string_view>({
    "flashlens ladder -b 1 -H 8 -s 1024",
    "flashlens ladder --by barriers --svg barriers.svg",
    "flashlens ladder --diff 4 5",
});
constexpr std::array timeline_examples = std::to_array<std::string_view>({
    "flashlens timeline -b 1 -H 1 -s 4096",
    "flashlens timeline -b 2 -H 16 -s 2048 --causal --variants v2,v2-tuned",
    "flashlens timeline -b 1 -H 8 -s 4096 --gpu H100 --svg sms.svg",
});
constexpr std::array sweep_examples = std::to_array<std::string_view>({
    "flashlens sweep -s 512:8192:x2 -H 1,8 --svg fill.svg",
    "flashlens sweep --splits 1:264 -b 1 -H 1 -s 4096 --chart global-read",
    "flashlens sweep --gpu \"A100,RTX 4090,H100\" --causal --no-causal --count off",
});
constexpr std::array bench_examples = std::to_array<std::string_view>({
    "flashlens bench --shapes \"4,32,4096,64 1,8,4096,128\" --csv times.csv",
    "flashlens bench -b 4 -H 32 -s 4096 --causal --variants v1,v2",
});
constexpr std::array devices_examples = std::to_array<std::string_view>({
    "flashlens devices",
    "flashlens devices --json -",
});
constexpr std::array source_examples = std::to_array<std::string_view>({
    "flashlens source",
    "flashlens source warps --variants v2,v2-tuned",
    "flashlens source mainloop --article --lang zh",
});
constexpr std::array walk_examples = std::to_array<std::string_view>({
    "flashlens walk --causal",
    "flashlens walk --scores \"0 5; 1 -inf\" --v \"1; 0\"",
    "flashlens walk --all --order v2 --rows 0 --lang zh",
});
constexpr std::array lesson_examples = std::to_array<std::string_view>({
    "flashlens lesson",
    "flashlens lesson 7",
    "flashlens lesson 7 --lang zh --answers",
});
constexpr std::array lecture_examples = std::to_array<std::string_view>({
    "flashlens lecture",
    "flashlens lecture --step 5 --notes",
});
constexpr std::array quiz_examples = std::to_array<std::string_view>({
    "flashlens quiz",
    "flashlens quiz --topic splits,occupancy --level 1,2 --count 5 --seed 7",
    "flashlens quiz --mock --lang zh",
});
constexpr std::array practice_examples = std::to_array<std::string_view>({
    "flashlens practice",
    "flashlens practice 1 --hint",
    "flashlens practice --list --lang zh",
});
constexpr std::array completion_examples = std::to_array<std::string_view>({
    "flashlens completion bash",
    "flashlens completion zsh",
});
constexpr std::array help_examples = std::to_array<std::string_view>({
    "flashlens help sweep",
    "flashlens help bench --lang zh",
});

constexpr std::array page_table = std::to_array<Page>({
    {compare,
     "[options]",
     {"run v1, v2 and a CPU reference; show what differs (the default)",
      "运行 v1、v2 和 CPU 参考实现，列出差别（不写命令时即此）"},
     {"Runs v1, v2 and a CPU reference on one shape, and shows what differs and why: launch grid, occupancy, memory "
      "traffic, barriers, time, error. Without a GPU the kernels run on the CPU machine.",
      "在一个形状上运行 v1、v2 和 CPU 参考实现，列出差别和原因：launch grid、occupancy、访存、barrier、时间、误差。"
      "没有 GPU 时，kernel 在 CPU 模拟机上运行。"},
     compare_examples},
    {explain,
     "[options]",
     {"grid, occupancy, waves: everything that needs no run", "grid、occupancy、wave：不必运行就能知道的一切"},
     {"Grid, tile, shared memory, occupancy, waves: everything about a launch that needs no run.",
      "grid、tile、shared memory、occupancy、wave：关于 launch，不必运行就能知道的一切。"},
     explain_examples},
    {map,
     "[options]",
     {"who owns what: CTAs, warps, lanes, SMs; pictures", "谁负责什么：CTA、warp、lane、SM；画成图"},
     {"Draws who owns what of Q, K, V, S and O, in the terminal or as a slide. Views: ctas (S by CTA, with what the "
      "mask "
      "leaves and the steps of one CTA), warps (a step of a CTA), lanes (an mma.m16n8k16), blocks (what one CTA loads, "
      "keeps and streams), sms (CTAs on the SMs of a card, wave by wave).",
      "画出 Q、K、V、S、O 各归谁，可在终端里看，也可做成幻灯片。视图：ctas（S 归哪个 CTA、mask 留下什么、一个 CTA "
      "的各步），warps（CTA 的一步），lanes（一条 mma.m16n8k16），blocks（一个 CTA 读什么、留什么、什么依次流过），"
      "sms（CTA 落在哪个 SM、哪个 wave）。"},
     map_examples},
    {ladder,
     "[options]",
     {"from v1 to v2, one change at a time: what each one buys", "从 v1 到 v2，一次只改一处：每处改动换来什么"},
     {"Runs the kernels between v1 and v2, each one change from the next: what the change is about before and after, "
      "what else moved, on a card the time. --diff A B shows the code; rungs go by number or name, A alone is the step "
      "to "
      "A.",
      "运行 v1 与 v2 之间的各个 "
      "kernel，每个比前一个只多一处改动：这处改动针对的计数在前后各是多少，还有什么变了，有显卡时还有"
      "时间。--diff A B 显示代码的改动；写编号或名字，只写 A 则是走到 A 的那一步。"},
     ladder_examples},
    {timeline,
     "[options]",
     {"SMs over time: who runs when, idle SMs, waves, tails; a picture",
      "SM 随时间的忙闲：空闲的 SM、wave、tail；画成图"},
     {"Shows SMs over time: which have CTAs when, which stay idle, when the first runs dry. On a card each CTA of an "
      "instrumented build notes its SM and its start and end. Without one the schedule is simulated, from operations "
      "that "
      "the CPU machine counts of a CTA of each kind, by a model that the output states.",
      "显示各 SM 随时间的忙闲：何时有 CTA、哪些一直空闲、第一个何时没活可干。有显卡时，由带计时的 kernel 记录每个 CTA "
      "在哪个 "
      "SM、何时开始和结束。没有显卡时为模拟：CPU 模拟机对每类 CTA 各计数一个，再按输出中写明的模型排出先后。"},
     timeline_examples},
    {sweep,
     "[options]",
     {"lists and ranges of options: a table and a chart", "扫描选项的列表和范围：表格和图"},
     {"A table and a chart over lists and ranges of options. LIST: 1,8,32  1:264  64:256:+64  512:16384:x2, mixed at "
      "will. Every combination is a row, the last option's values fastest, 10,000 at most.",
      "按选项的列表和范围给出表格和图。LIST 的写法：1,8,32  1:264  64:256:+64  512:16384:x2，可混用。"
      "每种组合一行，最后一个选项变化最快，最多 10,000 行。"},
     sweep_examples},
    {bench,
     "[options]",
     {"times on the card here; a table to paste", "在本机显卡上计时，输出可直接粘贴的表格"},
     {"Times the kernels on the card of this machine, as Markdown to paste. The shapes are those of --shapes; else "
      "one, "
      "where an option of the shape is given; else a table of 19. Each runs with and without the causal mask.",
      "在本机显卡上为 kernel 计时，输出可直接粘贴的 Markdown。形状取自 "
      "--shapes；没有时，给出了任何形状选项就只测那一个；"
      "否则测一组 19 个。每个形状都分别在无 mask 和 causal 下各测一次。"},
     bench_examples},
    {devices,
     "[options]",
     {"the cards that --gpu knows, and the one here", "--gpu 认识的显卡，以及本机的显卡"},
     {"The cards that --gpu knows, with the figures that plans are made of, and the one in this machine.",
      "--gpu 认识的显卡及计算所用的参数，以及本机的显卡。"},
     devices_examples},
    {source,
     "[STAGE] [options]",
     {"the kernels' code side by side, by stage", "并排查看 kernel 的源码，按阶段"},
     {"The real code of the kernels, their steps lined up; side by side from 150 columns on, else one below the other. "
      "STAGE: launch, mainloop (unless given), warps, epilogue, or all.",
      "kernel 的真实源码，步骤对齐；终端有 150 列时左右并排，否则上下排列。"
      "STAGE（阶段）：launch、mainloop（不写时即此）、warps、epilogue，或 all 表示全部。"},
     source_examples},
    {walk,
     "[options]",
     {"the online softmax on a tiny problem, step by step", "在一个很小的例子上逐步走一遍 online softmax"},
     {"The online softmax in v1's order, then in v2's: each step's formulas with the numbers beside them, and the "
      "bytes "
      "that it reads and writes. Enter: next step, b: back, a: all the rest, q: quit. Up to 16 queries, 16 keys, D 8.",
      "先按 v1 的顺序、再按 v2 的顺序走一遍 online softmax：每一步的公式和数值并排列出，并写明读写多少字节。"
      "Enter 下一步，b 上一步，a 其余全部，q 退出。至多 16 个 query、16 个 key、D 8。"},
     walk_examples},
    {lesson,
     "[N] [options]",
     {"the lessons to read, and to run what they say", "阅读课程，并运行其中的命令"},
     {"Shows lesson N; without N, the list of lessons. Enter: on, b: back, n and p: next and previous section, r: run "
      "the command that is seen, o: show the answers, q: quit. In a pipe all of it is printed, answers too.",
      "显示第 N 课；不写 N 时列出各课。Enter 下一页，b 上一页，n、p 后一节、前一节，r 运行看到的命令，o 显示答案，q "
      "退出。"
      "输出到管道时全部打印，包括答案。"},
     lesson_examples},
    {lecture,
     "[options]",
     {"a lecture of 15 minutes, step by step, to record or to watch", "15 分钟的讲解，一步一步，可录制也可观看"},
     {"Steps with a title, some lines, and what a command prints that runs as you watch. Enter: next step, b: back, a "
      "number and Enter: that step, arrows: scroll, ?: keys, q: quit. Best at 120 x 34. In a pipe all steps are "
      "printed.",
      "每一步有标题、几行字和一条命令的输出，命令当场运行。Enter 下一步，b 上一步，数字加 Enter 跳到该步，方向键滚动，"
      "? 显示按键，q 退出。以 120 x 34 的终端为佳。输出到管道时打印全部步骤。"},
     lecture_examples},
    {quiz,
     "[options]",
     {"questions by topic and level; a mock interview", "按主题和难度出题，可模拟面试"},
     {"Asks, judges, says why, and names the command that shows it. Numbers are drawn anew by the seed: type 1,234, "
      "48 KiB or 59.3 %. Open questions have a model answer and points to give yourself. Enter alone skips, q ends. "
      "Piped in, each line is an answer. What was missed is kept in $XDG_STATE_HOME/flashlens/quiz.json (else in "
      "~/.local/state).",
      "出题、判分、说明理由，并给出能看到答案的命令。数字题由种子重新抽取，可写作 1,234、48 KiB 或 59.3 %。"
      "开放题给出参考答案和自评要点。直接回车跳过，q 结束。从管道输入时每行一个答案。答错的题记在 "
      "$XDG_STATE_HOME/flashlens/quiz.json（未设置时在 ~/.local/state）。"},
     quiz_examples},
    {practice,
     "[EXERCISE] [options]",
     {"coding exercises: edit a file, be told what is wrong", "编程练习：改文件，看哪里不对"},
     {"Exercises to solve in files of your own, with any editor. Without EXERCISE (a number, or part of a name): the "
      "first that has not passed. Until its file is edited, shows what is asked; then compiles it, runs it on the CPU "
      "machine, and says what is right and what is not. Exit code 0 if it passes, else 3. With --watch: h hint, t "
      "task, "
      "v verdict, n next, r again, q quit. Needs a C++ compiler.",
      "在自己的文件里解题，编辑器随意。不写 EXERCISE（编号，或名字的一部分）时是第一道还没通过的。"
      "文件还没改过时显示题目；改过之后编译它，在 CPU 模拟机上运行，指出哪些对、哪些不对。通过时退出码为 0，否则为 3。"
      "加 --watch 时：h 提示，t 题目，v 结果，n 下一道，r 再判，q 退出。需要 C++ 编译器。"},
     practice_examples},
    {completion,
     "bash|zsh",
     {"a script with which the shell completes", "输出 shell 自动补全脚本"},
     {"Prints a script with which the shell completes commands, options and their values; use it with: source "
      "<(flashlens completion bash)",
      "输出 shell 自动补全脚本，可补全命令、选项及其取值；用法：source <(flashlens completion bash)"},
     completion_examples},
    {help,
     "[COMMAND]",
     {"a command's page: its options, their defaults, examples", "某个命令的说明：选项、默认值、示例"},
     {"Shows a command's page, as flashlens COMMAND --help does; alone, the list of commands.",
      "显示某个命令的说明，与 flashlens COMMAND --help 相同；不带命令时列出所有命令。"},
     help_examples},
});

/// Those whose shapes are of real sizes.
constexpr Commands kernels_run{compare, explain, map, ladder, timeline, sweep, bench};

constexpr std::array words_table = std::to_array<OptionWords>({
    {Section::shape, "--batch", "2", {"batch size", "batch 大小"}},
    {Section::shape, "--heads", "16", {"query heads", "query 的 head 数"}},
    {Section::shape,
     "--kv-heads",
     "",
     {"K and V heads; divide --heads (default equal)", "K、V 的 head 数，须整除 --heads（默认相同）"}},
    {Section::shape, "--seqlen", "512", {"queries and keys alike", "query 与 key 的个数"}, kernels_run},
    {Section::shape, "--seqlen", "", {"queries and keys alike", "query 与 key 的个数"}, {walk}},
    {Section::shape, "--seqlen-q", "", {"queries; wins over --seqlen", "query 的个数，优先于 --seqlen"}, kernels_run},
    {Section::shape, "--seqlen-q", "4", {"queries; wins over --seqlen", "query 的个数，优先于 --seqlen"}, {walk}},
    {Section::shape, "--seqlen-k", "", {"keys; wins over --seqlen", "key 的个数，优先于 --seqlen"}, kernels_run},
    {Section::shape, "--seqlen-k", "6", {"keys; wins over --seqlen", "key 的个数，优先于 --seqlen"}, {walk}},
    {Section::shape,
     "--head-dim",
     "64",
     {"a multiple of 8, up to 256; of v1 up to 128", "8 的倍数，至多 256，v1 至多 128"},
     kernels_run},
    {Section::shape, "--head-dim", "4", {"columns of Q, K, V", "Q、K、V 的列数"}, {walk}},
    {Section::shape,
     "--model",
     "",
     {"a model's shape and mask, as of gpt2 or llama3-8b; what else is given wins",
      "采用某个模型的形状和 mask，如 gpt2、llama3-8b；另外给出的选项优先"}},
    {Section::shape,
     "--shapes",
     "",
     {"or B,H,KV,Sq,Sk,D; instead of the options above", "或 B,H,KV,Sq,Sk,D；代替以上选项"},
     {bench},
     "\"B,H,S,D ...\""},
    {Section::mask,
     "--causal",
     "",
     {"query i sees key j if j <= i + Sk - Sq", "query i 可见 j <= i + Sk - Sq 的 key j"},
     {compare, explain, ladder, timeline, walk}},
    {Section::mask,
     "--no-causal",
     "",
     {"no mask: the default, except of some models", "无 mask：默认如此，部分模型除外"},
     {compare, explain, ladder, timeline}},
    {Section::mask,
     "--causal",
     "",
     {"a causal mask: the default, except of models", "causal mask：默认如此，模型除外"},
     {map}},
    {Section::mask, "--no-causal", "", {"no mask", "无 mask"}, {map}},
    {Section::mask,
     "--causal",
     "",
     {"with --no-causal, sweeps over both", "与 --no-causal 同用则两种 mask 都扫"},
     {sweep}},
    {Section::mask,
     "--no-causal",
     "",
     {"no mask: the default, except of some models", "无 mask：默认如此，部分模型除外"},
     {sweep}},
    {Section::mask,
     "--causal",
     "",
     {"with the mask alone (default: both)", "只测 causal mask（默认两种都测）"},
     {bench}},
    {Section::mask, "--no-causal", "", {"no mask: the default", "无 mask（默认）"}, {walk}},
    {Section::mask, "--no-causal", "", {"without it alone (default: both)", "只测无 mask（默认两种都测）"}, {bench}},
    {Section::mask,
     "--align",
     "bottom-right",
     {"the corner that the diagonal ends in; top-left: j <= i", "对角线止于哪个角；top-left 即 j <= i"}},
    {Section::numbers, "--dtype", "fp16", {"type of Q, K, V, O", "Q、K、V、O 的类型"}},
    {Section::numbers,
     "--scale",
     "",
     {"multiplies every logit (default 1/sqrt(D))", "logit 的系数（默认 1/sqrt(D)）"},
     OptionWords::any,
     "X"},
    {Section::numbers,
     "--seed",
     "0",
     {"of the random inputs", "随机输入的种子"},
     {compare, explain, map, ladder, timeline, sweep, bench, walk}},
    {Section::run,
     "--seed",
     "",
     {"which questions and numbers (default: new ones)", "决定题目和数字（默认每次不同）"},
     {quiz}},
    {Section::numbers, "--dist", "normal", {"how they are drawn", "输入的分布"}},
    {Section::numbers,
     "--q",
     "",
     {"typed: a row for each query (default random)", "自己写：每个 query 一行（默认随机）"},
     {walk},
     "\"1 0; 0 1\""},
    {Section::numbers,
     "--k",
     "",
     {"typed: a row for each key (default random)", "自己写：每个 key 一行（默认随机）"},
     {walk},
     "\"1 0; 0 1\""},
    {Section::numbers,
     "--v",
     "",
     {"typed: a row for each key (default random)", "自己写：每个 key 一行（默认随机）"},
     {walk},
     "\"1 0; 0 1\""},
    {Section::numbers,
     "--scores",
     "",
     {"scaled scores, instead of Q and K; -inf is a masked key",
      "缩放后的 score，代替 Q 和 K；-inf 表示被 mask 掉的 key"},
     {walk},
     "\"0 5; 1 -inf\""},
    {Section::run,
     "--machine",
     "auto",
     {"the GPU here, or the kernels on the CPU", "用本机 GPU，或在 CPU 上运行 kernel"},
     {compare, ladder, sweep}},
    {Section::run,
     "--machine",
     "auto",
     {"recorded on the GPU here, or simulated", "在本机 GPU 上记录，或模拟"},
     {timeline}},
    {Section::run,
     "--machine",
     "cpu",
     {"gpu: there, too, with nvcc", "gpu：也在 GPU 上运行，需要 nvcc"},
     {practice},
     "cpu|gpu"},
    {Section::run, "--check", "", {"judges it, edited or not", "判这一道，不管改没改过"}},
    {Section::run, "--watch", "", {"judges it whenever you save", "每次保存都判"}},
    {Section::run,
     "--reset",
     "",
     {"the file as handed out; yours is kept as .bak", "恢复成发下来的样子，你的留作 .bak"}},
    {Section::run, "--yes", "", {"--reset does not ask", "--reset 不再询问"}},
    {Section::run,
     "--gpu",
     "",
     {"plan for this card (default: the one here, else A100)", "按这张卡计算（默认本机的卡，没有则 A100）"}},
    {Section::run,
     "--variants",
     "v1,v2",
     {"kernels of v1, v2, v2-tuned", "从 v1、v2、v2-tuned 中选"},
     {compare, explain, map, timeline, sweep, source}},
    {Section::run, "--variants", "v1,v2,v2-tuned", {"kernels, in this order", "哪些 kernel，按此顺序"}, {bench}},
    {Section::run,
     "--splits",
     "",
     {"v1's num_splits (default: its heuristic)", "v1 的 num_splits（默认由启发式决定）"}},
    {Section::run, "--verify", "sample", {"rows held against fp64", "对照 fp64 的行"}},
    {Section::run,
     "--view",
     "ctas,warps",
     {"ctas, warps, lanes, blocks, sms, one below the other", "从 ctas、warps、lanes、blocks、sms 中选，依次画出"},
     OptionWords::any,
     "LIST"},
    {Section::run, "--by", "", {"the waterfall's figure, as barriers", "瀑布图画什么，如 barriers"}},
    {Section::run, "--tuned", "", {"one more rung: v2-tuned", "再加一级：v2-tuned"}},
    {Section::run, "--orders", "", {"each change where others came before it", "每处改动在不同次序下的效果"}},
    {Section::run, "--samples", "21", {"of each time, from 3 on", "每个时间的样本数，至少 3"}},
    {Section::run,
     "--limit",
     "measured",
     {"matmul limit: by cuBLAS, or the data sheet's", "matmul 上限：cuBLAS 实测，或厂商标称"}},
    {Section::run,
     "--chart",
     "",
     {"figure of the chart, or none (default speedup with a card, else sm-fill)",
      "图中画什么，none 不画（默认有显卡时 speedup，否则 sm-fill）"}},
    {Section::run,
     "--count",
     "auto",
     {"counters of the CPU machine; auto: where they take seconds", "CPU 模拟机计数；auto：几秒能数完才数"},
     {sweep}},
    {Section::run, "--count", "10", {"how many questions", "题数"}, {quiz}, "N"},
    {Section::run,
     "--topic",
     "",
     {"grid, splits, main-loop, online-softmax, warps, shared-memory, occupancy, numerics, masking, gqa, reading",
      "主题：grid、splits、main-loop、online-softmax、warps、shared-"
      "memory、occupancy、numerics、masking、gqa、reading"},
     OptionWords::any,
     "LIST"},
    {Section::run,
     "--level",
     "",
     {"1 basic, 2, 3 hard (default all)", "1 基础、2、3 难（默认全部）"},
     OptionWords::any,
     "LIST"},
    {Section::run, "--review", "", {"those missed when last asked", "只问上次答错的题"}},
    {Section::run, "--mock", "", {"a mock interview: open questions with follow-ups", "模拟面试：开放题带追问"}},
    {Section::run,
     "--article",
     "",
     {"beside the real loops the article's short ones, and what they leave out",
      "真实循环旁边列出文章的压缩版循环，以及它省略了什么"}},
    {Section::run, "--order", "both", {"whose steps", "走谁的步骤"}},
    {Section::run,
     "--block-m",
     "2",
     {"queries of a query block, at most 8", "一个 query block 有几个 query，最多 8 个"}},
    {Section::run, "--block-n", "2", {"keys of a key block, at most 8", "一个 key block 有几个 key，最多 8 个"}},
    {Section::files,
     "--input",
     "",
     {"q.npy, k.npy, v.npy of (batch, seqlen, heads, dim)",
      "读取 q.npy、k.npy、v.npy，形状为 (batch, seqlen, heads, dim)"},
     {compare, explain, ladder}},
    {Section::files,
     "--input",
     "",
     {"q.npy, k.npy, v.npy of (1, seqlen, 1, dim)", "读取 q.npy、k.npy、v.npy，形状为 (1, seqlen, 1, dim)"},
     {walk}},
    {Section::files, "--output", "", {"writes o.npy and lse.npy of each variant", "写出各实现的 o.npy 和 lse.npy"}},
    {Section::files,
     "--json",
     "",
     {"every figure; - is standard output", "写出全部数字；- 为标准输出"},
     {compare, explain, map, ladder, timeline, sweep, bench, devices, walk}},
    {Section::files,
     "--json",
     "",
     {"the code, and which lines go together; - is standard output", "写出源码和各行的对应关系；- 为标准输出"},
     {source}},
    {Section::files,
     "--json",
     "",
     {"questions, answers, points; - is standard output", "写出题目、答案和得分；- 为标准输出"},
     {quiz}},
    {Section::files,
     "--json",
     "",
     {"verdict, finding, hints, progress; - is standard output", "写出结果、问题、提示和进度；- 为标准输出"},
     {practice}},
    {Section::files,
     "--folder",
     "",
     {"of your files (default $FLASHLENS_PRACTICE, else ~/flashlens-practice)",
      "你的文件所在目录（默认 $FLASHLENS_PRACTICE，其次 ~/flashlens-practice）"}},
    {Section::files, "--csv", "", {"the table, one line for each kernel", "写出表格，每个 kernel 一行"}},
    {Section::files, "--svg", "", {"the waterfall as a picture", "把瀑布图写成图片"}, {ladder}},
    {Section::files, "--svg", "", {"the chart as a picture", "把图写成图片"}, {sweep}},
    {Section::files, "--svg", "", {"the picture, with a row for each SM", "写出图片，每个 SM 一行"}, {timeline}},
    {Section::files, "--svg", "", {"a view as a picture (default ctas)", "把一种视图写成图片（默认 ctas）"}, {map}},
    {Section::show,
     "--rows",
     "",
     {"queries shown in full, as 0,2:3 (default all)", "哪些 query 完整显示，如 0,2:3（默认全部）"},
     {walk},
     "LIST"},
    {Section::show, "--step", "", {"step N alone, of each order", "只显示每种顺序的第 N 步"}, {walk}},
    {Section::show, "--step", "1", {"the step to start with", "从第几步开始"}, {lecture}},
    {Section::show, "--notes", "", {"what to say, below each step", "在每一步下面显示讲稿"}},
    {Section::show, "--answers", "", {"answers are shown from the start", "一开始就显示答案"}},
    {Section::show, "--task", "", {"what is asked", "题目"}},
    {Section::show, "--hint", "", {"a hint; each call gives one more", "提示，每次多给一条"}},
    {Section::show, "--solution", "", {"the solution, when it has passed", "参考解答，通过之后才给"}},
    {Section::show, "--list", "", {"all exercises, and which have passed", "全部练习，哪些已通过"}},
    {Section::show,
     "--diff",
     "",
     {"the code, from rung A to B", "代码从 A 级到 B 级的改动"},
     OptionWords::any,
     "A [B]"},
    {Section::show, "--all", "", {"of --diff: unchanged lines too", "用于 --diff：没变的行也显示"}, {ladder}},
    {Section::show,
     "--all",
     "",
     {"every step at once, as into a pipe", "一次显示全部步骤，与输出到管道时相同"},
     {walk}},
    {Section::show, "--lang", "", {"language (default: the locale's)", "语言（默认随 locale）"}},
    {Section::show, "--no-color", "", {"no colours, as with NO_COLOR", "不用颜色，与 NO_COLOR 相同"}},
});

}  // namespace

std::span<const Page> pages() {
    return page_table;
}

Bilingual title_of(Section section) {
    switch (section) {
        case Section::shape:
            return {"shape", "形状"};
        case Section::mask:
            return {"mask", "mask"};
        case Section::numbers:
            return {"numbers", "数值"};
        case Section::run:
            return {"run", "运行"};
        case Section::files:
            return {"files", "文件"};
        case Section::show:
            break;
    }
    return {"show", "显示"};
}

std::span<const OptionWords> option_words() {
    return words_table;
}

}  // namespace flashlens::cli
