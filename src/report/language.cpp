#include "report/language.h"

#include "report/catalogue.h"

namespace flashlens::report {

std::optional<Language> find_language(std::string_view name) {
    if (name == "en") {
        return Language::en;
    }
    return name == "zh" ? std::optional(Language::zh) : std::nullopt;
}

Language language_of_locale(std::string_view locale) {
    return locale.substr(0, 2) == "zh" ? Language::zh : Language::en;
}

std::string_view text(Language language, Text name) {
    const Catalogue& catalogue = language == Language::zh ? catalogue_zh : catalogue_en;
    return catalogue[static_cast<std::size_t>(name)];
}

}  // namespace flashlens::report
