# What flashlens_embed runs when the program is built.
set(texts)
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  file(RELATIVE_PATH path ${ROOT} ${file})
  string(APPEND texts "    {\"${path}\", R\"~embedded~(${text})~embedded~\"},\n")
endforeach()
file(
  WRITE ${CPP}
  "// Generated.
#include \"${HEADER}\"

namespace {
constexpr flashlens::EmbeddedText texts[] = {
${texts}};
}

std::span<const flashlens::EmbeddedText> ${FUNCTION}() {
    return texts;
}
")
