#include "cli/console.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/output.h"

namespace srvprof {

Console::Console()
    : stdout_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      stderr_is_terminal_(::isatty(STDERR_FILENO) == 1) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  color_ = (no_color == nullptr || *no_color == '\0') &&
           (term == nullptr || std::string_view(term) != "dumb");
}

void Console::set_color(bool allowed) { color_ = color_ && allowed; }

void Console::message(std::string_view text) {
  if (quiet_) return;
  clear_progress();
  write(std::string(text) + '\n');
}

void Console::warning(std::string_view text) {
  clear_progress();
  write("srvprof: " + std::string(text) + '\n');
}

void Console::error(const Error& error) {
  clear_progress();
  const bool red = color_ && stderr_is_terminal_;
  std::string out = (red ? "\x1b[1;31msrvprof:\x1b[0m " : "srvprof: ") + error.what + '\n';
  if (!error.hint.empty()) {
    out += "  hint: ";
    for (char c : error.hint) out += c == '\n' ? std::string("\n        ") : std::string(1, c);
    out += '\n';
  }
  write(out);
}

void Console::progress(std::string_view text) {
  if (quiet_) return;
  clear_progress();
  if (text.empty()) return;
  write(text);
  progress_shown_ = true;
}

void Console::clear_progress() {
  if (progress_shown_) write("\r\x1b[K");
  progress_shown_ = false;
}

void Console::write(std::string_view text) {
  // Nothing can be said about an stderr that does not take it.
  (void)write_all(STDERR_FILENO, text, "stderr");
}

}  // namespace srvprof
