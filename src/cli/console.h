// What srvprof says beside its results: messages and progress, on stderr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace srvprof {

class Console {
 public:
  Console();  // looks at the terminal and at NO_COLOR

  void set_quiet(bool quiet) { quiet_ = quiet; }
  void set_verbose(int level) { verbose_ = level; }
  void set_color(bool allowed);

  int verbose() const { return verbose_; }
  // Results on stdout may be coloured.
  bool color() const { return color_ && stdout_is_terminal_; }
  bool progress_line() const { return stderr_is_terminal_; }

  // One line, unless quiet.
  void message(std::string_view text);
  // Also when quiet.
  void warning(std::string_view text);
  // "srvprof: what" and "  hint: ...".
  void error(const Error& error);
  // Replaces the progress line of a terminal; "" removes it.
  void progress(std::string_view text);

 private:
  void write(std::string_view text);
  void clear_progress();

  bool quiet_ = false, color_ = true;
  bool stdout_is_terminal_ = false, stderr_is_terminal_ = false;
  bool progress_shown_ = false;
  int verbose_ = 0;
};

}  // namespace srvprof
