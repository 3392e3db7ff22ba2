#include "elf/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>

namespace srvprof {
namespace {

// Far above what linkers write (a few dozen of each; -ffunction-sections objects are not programs).
constexpr std::size_t kMaxSegments = 1024;
constexpr std::size_t kMaxSections = 65536;
// Parts of a file may overlap, but not so that reading each of them takes many times the whole file.
constexpr std::uint64_t kOverlap = 2;
constexpr std::uint64_t kSlack = 1 << 20;
constexpr std::uint64_t kMaxNoteBytes = 64 << 10;
constexpr std::uint64_t kMaxDebugLink = 4096;

struct ElfEnd {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

Error libelf_error(const std::string& what) {
  const char* why = ::elf_errmsg(-1);
  return Error{what + ": " + (why != nullptr ? why : "malformed"), "", ErrorKind::kFailed};
}

std::string to_hex(const unsigned char* bytes, std::size_t n) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < n; ++i) {
    hex += kDigits[bytes[i] >> 4];
    hex += kDigits[bytes[i] & 15];
  }
  return hex;
}

// The NT_GNU_BUILD_ID note among `size` bytes of notes at `offset`; "" if there is none.
std::string find_build_id(Elf* elf, std::uint64_t offset, std::uint64_t size) {
  if (size == 0 || size > kMaxNoteBytes) return "";
  Elf_Data* data = ::elf_getdata_rawchunk(elf, static_cast<std::int64_t>(offset), size, ELF_T_NHDR);
  if (data == nullptr) return "";
  GElf_Nhdr note;
  std::size_t position = 0, name = 0, description = 0;
  const auto* bytes = static_cast<const unsigned char*>(data->d_buf);
  while ((position = ::gelf_getnote(data, position, &note, &name, &description)) > 0) {
    constexpr std::size_t kMaxBuildId = 64;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= kMaxBuildId &&
        std::memcmp(bytes + name, "GNU", 4) == 0) {
      return to_hex(bytes + description, note.n_descsz);
    }
  }
  return "";
}

Status read_header(Elf* handle, ElfFile& elf) {
  GElf_Ehdr header;
  if (::elf_kind(handle) != ELF_K_ELF || ::gelf_getehdr(handle, &header) == nullptr) {
    return Error{"reading the ELF header: not an ELF file", "", ErrorKind::kFailed};
  }
  constexpr unsigned char kNative =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (header.e_ident[EI_DATA] != kNative) {
    return Error{"reading the ELF header: of another byte order", "", ErrorKind::kFailed};
  }
  elf.is64 = header.e_ident[EI_CLASS] == ELFCLASS64;
  elf.machine = header.e_machine;
  elf.type = header.e_type;
  return {};
}

// Takes `bytes` off what may be read in all; false if there is not so much left.
bool afford(std::uint64_t& left, std::uint64_t bytes) {
  if (bytes > left) return false;
  left -= bytes;
  return true;
}

void read_segments(Elf* handle, ElfFile& elf) {
  std::uint64_t left = kOverlap * elf.size + kSlack;
  std::size_t count = 0;
  if (::elf_getphdrnum(handle, &count) != 0) return;
  for (std::size_t i = 0; i < std::min(count, kMaxSegments); ++i) {
    GElf_Phdr p;
    if (::gelf_getphdr(handle, static_cast<int>(i), &p) == nullptr) return;
    if (p.p_type == PT_NOTE && elf.build_id.empty()) {
      elf.build_id = find_build_id(handle, p.p_offset, p.p_filesz);
    }
    // Sums that wrap would make every later comparison wrong.
    if (p.p_type != PT_LOAD || p.p_offset + p.p_filesz < p.p_offset ||
        p.p_vaddr + p.p_memsz < p.p_vaddr || p.p_vaddr + p.p_filesz < p.p_vaddr ||
        !afford(left, std::min(p.p_filesz, elf.size))) {
      continue;
    }
    elf.segments.push_back({p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz, (p.p_flags & PF_X) != 0,
                            (p.p_flags & PF_W) != 0});
  }
}

void read_sections(Elf* handle, ElfFile& elf) {
  std::uint64_t left = kOverlap * elf.size + kSlack;
  std::size_t count = 0, names = 0;
  if (::elf_getshdrnum(handle, &count) != 0) return;
  const bool named = ::elf_getshdrstrndx(handle, &names) == 0;
  for (std::size_t i = 0; i < std::min(count, kMaxSections); ++i) {
    GElf_Shdr s{};
    Elf_Scn* section = ::elf_getscn(handle, i);
    if (section == nullptr || ::gelf_getshdr(section, &s) == nullptr ||
        (s.sh_type != SHT_NOBITS && !afford(left, std::min(s.sh_size, elf.size)))) {
      elf.sections.emplace_back();  // keeps the numbering
      continue;
    }
    const char* name = named ? ::elf_strptr(handle, names, s.sh_name) : nullptr;
    elf.sections.push_back({name != nullptr ? std::string(name, ::strnlen(name, 256)) : "",
                            s.sh_type, s.sh_link, s.sh_addr, s.sh_offset, s.sh_size});
    if (s.sh_type == SHT_NOTE && elf.build_id.empty()) {
      elf.build_id = find_build_id(handle, s.sh_offset, s.sh_size);
    }
  }
}

// .gnu_debuglink: a file name, padded with zeros to 4 bytes, then the CRC-32 of that file.
void read_debug_link(ElfFile& elf) {
  const ElfSection* section = find_section(elf, ".gnu_debuglink");
  if (section == nullptr) return;
  const auto bytes = read_section(elf, *section, kMaxDebugLink);
  if (!bytes.ok() || bytes->size() < 8) return;
  const std::size_t length = bytes->find('\0');
  if (length == std::string::npos || length == 0) return;
  const std::size_t crc_at = (length + 4) / 4 * 4;
  if (crc_at + 4 > bytes->size()) return;
  std::string name = bytes->substr(0, length);
  if (name.find('/') != std::string::npos || name == "..") return;
  elf.debug_link = std::move(name);
  std::memcpy(&elf.debug_link_crc, bytes->data() + crc_at, 4);
}

Result<ElfFile> read_headers(ElfHandle handle, ElfFile elf) {
  if (handle == nullptr) return libelf_error("opening an ELF file");
  TRY(read_header(handle.get(), elf));
  read_segments(handle.get(), elf);
  read_sections(handle.get(), elf);
  handle.reset();
  read_debug_link(elf);
  return elf;
}

}  // namespace

Result<ElfFile> open_elf(const std::string& path, FollowLinks links) {
  const int no_follow = links == FollowLinks::kNo ? O_NOFOLLOW : 0;
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | no_follow));
  if (!fd.valid()) return errno_error("opening " + path, errno);
  return open_elf(std::move(fd));
}

Result<ElfFile> open_elf(Fd fd) {
  ::elf_version(EV_CURRENT);
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return errno_error("opening an ELF file", errno);
  if (!S_ISREG(st.st_mode)) {
    return Error{"opening an ELF file: not a regular file", "", ErrorKind::kFailed};
  }
  ElfFile elf;
  elf.fd = std::move(fd);
  elf.size = static_cast<std::uint64_t>(st.st_size);
  // Not ELF_C_READ_MMAP: a file that shrinks while it is mapped would kill us with SIGBUS.
  ElfHandle handle(::elf_begin(elf.fd.get(), ELF_C_READ, nullptr));
  return read_headers(std::move(handle), std::move(elf));
}

Result<ElfFile> open_elf_image(std::string bytes) {
  ::elf_version(EV_CURRENT);
  ElfFile elf;
  elf.image = std::move(bytes);
  elf.size = elf.image.size();
  ElfHandle handle(::elf_memory(elf.image.data(), elf.image.size()));
  return read_headers(std::move(handle), std::move(elf));
}

Result<std::string> read_bytes(const ElfFile& elf, std::uint64_t offset, std::uint64_t length,
                               std::uint64_t limit) {
  if (offset > elf.size || length > elf.size - offset) {
    return Error{"reading an ELF file: reaches beyond its end", "", ErrorKind::kFailed};
  }
  if (length > limit) {
    return Error{"reading an ELF file: a part of " + std::to_string(length) +
                     " bytes is above the limit of " + std::to_string(limit),
                 "", ErrorKind::kFailed};
  }
  if (!elf.fd.valid()) return elf.image.substr(offset, length);
  std::string bytes(length, '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pread(elf.fd.get(), bytes.data() + done, bytes.size() - done,
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("reading an ELF file", errno);
    if (n == 0) return Error{"reading an ELF file: it has shrunk", "", ErrorKind::kFailed};
    done += static_cast<std::size_t>(n);
  }
  return bytes;
}

Result<std::string> read_section(const ElfFile& elf, const ElfSection& section,
                                 std::uint64_t limit) {
  if (section.type == SHT_NOBITS) {
    return Error{"reading section " + section.name + ": it has no bytes in the file", "",
                 ErrorKind::kFailed};
  }
  return read_bytes(elf, section.offset, section.size, limit);
}

const ElfSection* find_section(const ElfFile& elf, std::string_view name) {
  const auto it = std::find_if(elf.sections.begin(), elf.sections.end(),
                               [&](const ElfSection& s) { return s.name == name; });
  return it != elf.sections.end() ? &*it : nullptr;
}

std::optional<std::uint64_t> offset_to_vaddr(const ElfFile& elf, std::uint64_t offset) {
  for (const auto& s : elf.segments) {
    if (offset >= s.offset && offset - s.offset < s.file_size) return offset - s.offset + s.vaddr;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> vaddr_to_offset(const ElfFile& elf, std::uint64_t vaddr) {
  for (const auto& s : elf.segments) {
    if (vaddr >= s.vaddr && vaddr - s.vaddr < s.file_size) return vaddr - s.vaddr + s.offset;
  }
  return std::nullopt;
}

}  // namespace srvprof
