#include "dwarf_walk.h"

#include <elfutils/libdwfl.h>

#include <cstring>

#include "compare.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxFrames = SP_STACK_MAX;

int no_debug_files(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
  return -1;
}

}  // namespace

struct DwarfWalker::Impl {
  pid_t pid = 0;
  Dwfl* dwfl = nullptr;
  bool attached = false;
  const oracle_copy* copy = nullptr;
  DwarfStack out;

  static pid_t next_thread(Dwfl*, void* self, void** thread) {
    if (*thread != nullptr) return 0;
    *thread = self;
    return static_cast<Impl*>(self)->pid;
  }
  static bool get_thread(Dwfl*, pid_t, void* self, void** thread) {
    *thread = self;
    return true;
  }
  static bool memory_read(Dwfl*, Dwarf_Addr address, Dwarf_Word* to, void* self) {
    return read_copy(*static_cast<Impl*>(self)->copy, address, to, sizeof *to);
  }
  static bool set_registers(Dwfl_Thread* thread, void* self) {
    Dwarf_Word regs[ORACLE_REGS];
    for (int i = 0; i < ORACLE_REGS; ++i) regs[i] = static_cast<Impl*>(self)->copy->reg[i];
    return dwfl_thread_state_registers(thread, 0, ORACLE_REGS, regs);
  }
  static int on_frame(Dwfl_Frame* frame, void* self) {
    Dwarf_Addr pc = 0;
    if (!dwfl_frame_pc(frame, &pc, nullptr)) return DWARF_CB_ABORT;
    auto& pcs = static_cast<Impl*>(self)->out.pcs;
    pcs.push_back(pc);
    return pcs.size() < kMaxFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
  }
};

DwarfWalker::DwarfWalker(pid_t pid) : impl_(std::make_unique<Impl>()) {
  static const Dwfl_Callbacks callbacks{dwfl_linux_proc_find_elf, no_debug_files, nullptr, nullptr};
  static const Dwfl_Thread_Callbacks threads{&Impl::next_thread, &Impl::get_thread, &Impl::memory_read,
                                             &Impl::set_registers, nullptr, nullptr};
  impl_->pid = pid;
  impl_->dwfl = dwfl_begin(&callbacks);
  if (impl_->dwfl == nullptr || dwfl_linux_proc_report(impl_->dwfl, pid) != 0) return;
  if (dwfl_report_end(impl_->dwfl, nullptr, nullptr) != 0) return;
  impl_->attached = dwfl_attach_state(impl_->dwfl, nullptr, pid, &threads, impl_.get());
}

DwarfWalker::~DwarfWalker() { dwfl_end(impl_->dwfl); }

bool DwarfWalker::ready() const { return impl_->attached; }

DwarfStack DwarfWalker::walk(const oracle_copy& copy) {
  impl_->copy = &copy;
  impl_->out = {};
  impl_->out.whole = dwfl_getthread_frames(impl_->dwfl, impl_->pid, &Impl::on_frame, impl_.get()) == 0;
  return impl_->out;
}

}  // namespace srvprof
