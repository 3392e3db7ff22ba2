// Where functions of Go have no frame, from .gopclntab: there the return address is at rsp. Everywhere else
// they keep a frame pointer.
#pragma once

#include <cstddef>
#include <vector>

#include "elf/elf_file.h"
#include "unwind/eh_frame.h"

namespace srvprof {

// kRowLeaf and kRowNone rows, ascending, at most `max_rows`; empty if it is no Go program that says so in its
// sections, or one older than 1.18.
std::vector<EhRow> go_rows(const ElfFile& elf, std::size_t max_rows);

}  // namespace srvprof
