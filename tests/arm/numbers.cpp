// SPDX-License-Identifier: BSL-1.0
// A few cells on one machine, and on another:
//
//   numbers write FOLDER             writes each cell, and what it computes
//   numbers compare FOLDER COPIES    reads them again, computes the same, and says how far it is from what
//                                    stands there; writes the cells that it read into COPIES
#include "numbers.hpp"

#include <string_view>

int main(int count, char** given) {
    std::string_view const what = count > 1 ? given[1] : "";
    if (!(what == "write" && count == 3) && !(what == "compare" && count == 4)) {
        std::fprintf(stderr, "numbers write FOLDER, or numbers compare FOLDER COPIES\n");
        return 2;
    }
    std::filesystem::path const folder = given[2], copies = count > 3 ? given[3] : "";
    try {
        std::filesystem::create_directories(count > 3 ? copies : folder);
        bool good = true;
        for (arm::action const each : {arm::gated, arm::lstms, arm::matrices})
            good = each(folder, copies) && good;
        return good ? 0 : 1;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "numbers: %s\n", e.what());
        return 1;
    }
}
