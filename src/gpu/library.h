// A shared library that is used where it is, and missed by nobody where it isn't.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

namespace flashlens::gpu {

/// Stays loaded until the program ends: CUDA's libraries leave threads and handlers behind that outlive a dlclose.
class Library {
public:
    /// The first of these names that loads: a name alone is looked for where the system keeps libraries.
    explicit Library(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            handle_ = handle_ != nullptr ? handle_ : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        }
    }
    /// Null where the library isn't loaded or has no such function. Function: its type, "int(char*, unsigned)".
    template <class Function>
    Function* function(const char* name) const {
        return handle_ != nullptr ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
    }

private:
    void* handle_ = nullptr;
};

}  // namespace flashlens::gpu
