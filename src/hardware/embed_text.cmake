# cmake -DTEXT=registers.csv -DCPP=registers_csv.cpp -P embed_text.cmake: the text as a function of the program, which then
# needs no file at run time.
file(READ ${TEXT} text)
file(
  WRITE ${CPP}
  "// Generated from registers.csv.
#include \"hardware/registers_csv.h\"

namespace flashlens::hardware {

std::string_view registers_csv() {
    return R\"table(${text})table\";
}

}  // namespace flashlens::hardware
")
