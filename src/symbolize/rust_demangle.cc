#include "symbolize/rust_demangle.h"

#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/parse.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxText = 4096;
constexpr int kMaxSteps = 10'000;
constexpr int kMaxDepth = 96;

std::string_view basic_type(char tag) {
  switch (tag) {
    case 'a': return "i8";
    case 'b': return "bool";
    case 'c': return "char";
    case 'd': return "f64";
    case 'e': return "str";
    case 'f': return "f32";
    case 'h': return "u8";
    case 'i': return "isize";
    case 'j': return "usize";
    case 'l': return "i32";
    case 'm': return "u32";
    case 'n': return "i128";
    case 'o': return "u128";
    case 'p': return "_";
    case 's': return "i16";
    case 't': return "u16";
    case 'u': return "()";
    case 'v': return "...";
    case 'x': return "i64";
    case 'y': return "u64";
    case 'z': return "!";
    default: return {};
  }
}

// A recursive descent over the grammar, printing as it goes. Each function returns false where the name does
// not fit it; then nothing of the text is used.
class Demangler {
 public:
  explicit Demangler(std::string_view text) : text_(text) {}

  std::optional<std::string> run() {
    if (!path(true)) return std::nullopt;
    // The crate that a generic function was made for.
    if (at_ < text_.size() && text_[at_] >= 'A' && text_[at_] <= 'Z') {
      quiet_ = true;
      if (!path(false)) return std::nullopt;
    }
    if (at_ != text_.size()) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Identifier {
    std::uint64_t number = 0;  // tells equal names apart
    std::string_view name;
    bool punycode = false;
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool eat(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  char next() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  bool put(std::string_view s) {
    if (quiet_) return true;
    if (out_.size() + s.size() > kMaxText) return false;
    out_ += s;
    return true;
  }
  // Called for each part; false when there were too many, or too deep ones.
  bool step() const { return steps_ < kMaxSteps && depth_ < kMaxDepth; }

  struct Deeper {
    explicit Deeper(Demangler& d) : d_(d) { ++d_.depth_, ++d_.steps_; }
    ~Deeper() { --d_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Demangler& d_;
  };

  std::optional<std::uint64_t> base62();
  std::optional<std::uint64_t> tagged(char tag);  // 0 if the tag is not there, else 1 more than the number
  std::optional<Identifier> identifier(bool numbered);
  bool put_identifier(const Identifier& id);
  bool path(bool value);
  bool nested(bool value);
  bool impl_path();
  bool arguments();
  bool argument();
  bool lifetime(std::uint64_t index);
  bool type();
  bool reference(std::string_view mark);
  bool tuple();
  bool array();
  bool function();
  bool dynamic();
  bool dynamic_trait();
  bool binder();
  bool constant();
  bool number(char kind);
  template <class Part>
  bool back(const Part& part);

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  bool quiet_ = false;
  int steps_ = 0, depth_ = 0;
  std::uint64_t lifetimes_ = 0;  // bound so far
};

std::optional<std::uint64_t> Demangler::base62() {
  std::uint64_t value = 0;
  if (eat('_')) return value;
  for (;;) {
    const char c = next();
    if (c == '_') break;
    unsigned digit = 0;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'z') digit = static_cast<unsigned>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'Z') digit = static_cast<unsigned>(c - 'A') + 36;
    else return std::nullopt;
    if (value > (std::numeric_limits<std::uint64_t>::max() - 62) / 62) return std::nullopt;
    value = value * 62 + digit;
  }
  return value + 1;
}

std::optional<std::uint64_t> Demangler::tagged(char tag) {
  if (!eat(tag)) return std::uint64_t{0};
  const auto value = base62();
  if (!value) return std::nullopt;
  return *value + 1;
}

std::optional<Demangler::Identifier> Demangler::identifier(bool numbered) {
  Identifier id;
  if (numbered) {
    const auto number = tagged('s');
    if (!number) return std::nullopt;
    id.number = *number;
  }
  id.punycode = eat('u');
  // A zero stands alone: what follows it belongs to the next identifier.
  std::size_t digits = peek() == '0' ? 1 : 0;
  while (peek() != '0' && digits < 6 && at_ + digits < text_.size() && text_[at_ + digits] >= '0' && text_[at_ + digits] <= '9') {
    ++digits;
  }
  const auto length = parse_number<std::size_t>(text_.substr(at_, digits));
  if (!length) return std::nullopt;
  at_ += digits;
  eat('_');
  if (*length > text_.size() - at_) return std::nullopt;
  id.name = text_.substr(at_, *length);
  at_ += *length;
  return id;
}

bool Demangler::put_identifier(const Identifier& id) {
  return id.punycode ? put("punycode{") && put(id.name) && put("}") : put(id.name);
}

template <class Part>
bool Demangler::back(const Part& part) {
  const std::size_t here = at_ - 1;
  const auto to = base62();
  if (!to || *to >= here) return false;  // only what stands before it
  if (quiet_) return true;
  const std::size_t resume = at_;
  at_ = static_cast<std::size_t>(*to);
  const bool good = part();
  at_ = resume;
  return good;
}

bool Demangler::nested(bool value) {
  const char space = next();
  if (!path(value)) return false;
  const auto id = identifier(true);
  if (!id) return false;
  if (space >= 'a' && space <= 'z') {  // types, values: what a programmer named
    return id->name.empty() || (put("::") && put_identifier(*id));
  }
  if (space < 'A' || space > 'Z') return false;
  const std::string_view what = space == 'C' ? "closure" : space == 'S' ? "shim" : std::string_view(&space, 1);
  return put("::{") && put(what) && (id->name.empty() || (put(":") && put_identifier(*id))) &&
         put(fmt::format("#{}}}", id->number));
}

// Where an impl stands: not printed.
bool Demangler::impl_path() {
  if (!tagged('s')) return false;
  const bool before = quiet_;
  quiet_ = true;
  const bool good = path(false);
  quiet_ = before;
  return good;
}

bool Demangler::path(bool value) {
  const Deeper deeper(*this);
  if (!step()) return false;
  switch (next()) {
    case 'C': {
      const auto id = identifier(true);
      return id && put_identifier(*id);
    }
    case 'M': return impl_path() && put("<") && type() && put(">");
    case 'X': return impl_path() && put("<") && type() && put(" as ") && path(false) && put(">");
    case 'Y': return put("<") && type() && put(" as ") && path(false) && put(">");
    case 'N': return nested(value);
    case 'I': return path(value) && put(value ? "::<" : "<") && arguments() && put(">");
    case 'B': return back([&] { return path(value); });
    default: return false;
  }
}

bool Demangler::arguments() {
  for (bool first = true; !eat('E'); first = false) {
    if (!first && !put(", ")) return false;
    if (!argument()) return false;
  }
  return true;
}

bool Demangler::argument() {
  if (eat('L')) {
    const auto index = base62();
    return index && lifetime(*index);
  }
  return eat('K') ? constant() : type();
}

bool Demangler::lifetime(std::uint64_t index) {
  if (index == 0) return put("'_");
  if (index > lifetimes_) return false;
  const std::uint64_t depth = lifetimes_ - index;
  return depth < 26 ? put(fmt::format("'{}", static_cast<char>('a' + depth))) : put(fmt::format("'_{}", depth));
}

bool Demangler::type() {
  const Deeper deeper(*this);
  if (!step()) return false;
  const char tag = next();
  if (const std::string_view basic = basic_type(tag); !basic.empty()) return put(basic);
  switch (tag) {
    case 'A': return array();
    case 'S': return put("[") && type() && put("]");
    case 'T': return tuple();
    case 'R': return reference("");
    case 'Q': return reference("mut ");
    case 'P': return put("*const ") && type();
    case 'O': return put("*mut ") && type();
    case 'F': return function();
    case 'D': return dynamic();
    case 'B': return back([&] { return type(); });
    default: break;
  }
  --at_;
  return tag != '\0' && path(false);
}

bool Demangler::array() { return put("[") && type() && put("; ") && constant() && put("]"); }

bool Demangler::tuple() {
  if (!put("(")) return false;
  int n = 0;
  for (; !eat('E'); ++n) {
    if ((n != 0 && !put(", ")) || !type()) return false;
  }
  return put(n == 1 ? ",)" : ")");
}

bool Demangler::reference(std::string_view mark) {
  if (!put("&")) return false;
  if (eat('L')) {
    const auto index = base62();
    if (!index || (*index != 0 && !(lifetime(*index) && put(" ")))) return false;
  }
  return put(mark) && type();
}

bool Demangler::binder() {
  const auto n = tagged('G');
  if (!n || *n > 100) return false;
  if (*n == 0) return true;
  if (!put("for<")) return false;
  for (std::uint64_t i = 0; i < *n; ++i) {
    ++lifetimes_;
    if ((i != 0 && !put(", ")) || !lifetime(1)) return false;
  }
  return put("> ");
}

bool Demangler::function() {
  const std::uint64_t before = lifetimes_;
  if (!binder() || (eat('U') && !put("unsafe "))) return false;
  if (eat('K')) {
    if (!put("extern \"")) return false;
    if (eat('C')) {
      if (!put("C")) return false;
    } else {
      const auto abi = identifier(false);
      if (!abi || !put_identifier(*abi)) return false;
    }
    if (!put("\" ")) return false;
  }
  if (!put("fn(")) return false;
  for (bool first = true; !eat('E'); first = false) {
    if ((!first && !put(", ")) || !type()) return false;
  }
  if (!put(")")) return false;
  const bool good = eat('u') || (put(" -> ") && type());
  lifetimes_ = before;
  return good;
}

bool Demangler::dynamic_trait() {
  // Types that belong to the trait stand among its arguments: Iterator<Item = u8>.
  const bool generic = peek() == 'I';
  bool open = false;
  if (generic) {
    ++at_;
    if (!path(false) || !put("<") || !arguments()) return false;
    open = true;
  } else if (!path(false)) {
    return false;
  }
  while (eat('p')) {
    const auto id = identifier(false);
    if (!id || !put(open ? ", " : "<") || !put_identifier(*id) || !put(" = ") || !type()) return false;
    open = true;
  }
  return !open || put(">");
}

bool Demangler::dynamic() {
  const std::uint64_t before = lifetimes_;
  if (!put("dyn ") || !binder()) return false;
  for (bool first = true; !eat('E'); first = false) {
    const Deeper deeper(*this);
    if (!step() || (!first && !put(" + ")) || !dynamic_trait()) return false;
  }
  lifetimes_ = before;
  if (!eat('L')) return false;
  const auto index = base62();
  return index && (*index == 0 || (put(" + ") && lifetime(*index)));
}

bool Demangler::number(char kind) {
  const bool negative = eat('n');
  const std::size_t end = text_.find('_', at_);
  if (end == std::string_view::npos) return false;
  const std::string_view digits = text_.substr(at_, end - at_);
  at_ = end + 1;
  const auto value = parse_number<std::uint64_t>(digits.empty() ? "0" : digits, 16);
  if (!value) {
    const bool hex = digits.size() <= 64 && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return hex && put("0x") && put(digits);
  }
  if (kind == 'b') return *value <= 1 && put(*value == 1 ? "true" : "false");
  if (kind == 'c') {
    const bool plain = *value >= 0x20 && *value < 0x7f;
    return put(plain ? fmt::format("'{}'", static_cast<char>(*value)) : fmt::format("'\\u{{{:x}}}'", *value));
  }
  return put(negative ? "-" : "") && put(std::to_string(*value));
}

bool Demangler::constant() {
  const Deeper deeper(*this);
  if (!step()) return false;
  const char kind = next();
  constexpr std::string_view kNumbers = "abchijlmnostxy";
  if (kind == 'p') return put("_");
  if (kind == 'B') return back([&] { return constant(); });
  return kNumbers.find(kind) != std::string_view::npos && kind != '\0' && number(kind);
}

}  // namespace

std::optional<std::string> demangle_rust_v0(std::string_view name) {
  if (!name.starts_with("_R")) return std::nullopt;
  name.remove_prefix(2);
  // What a compiler appends: ".llvm.123". Such characters are in no name of this form.
  name = name.substr(0, name.find_first_of(".$"));
  if (name.empty() || name[0] < 'A' || name[0] > 'Z') return std::nullopt;
  return Demangler(name).run();
}

}  // namespace srvprof
