// Constants of the file format; FORMAT.md is the description.
#pragma once

#include <cstddef>
#include <cstdint>

namespace srvprof {

inline constexpr char kFileMagic[8] = {'S', 'R', 'V', 'P', 'R', 'O', 'F', '\0'};
inline constexpr std::uint16_t kFormatMajor = 1;  // a reader refuses a newer one
inline constexpr std::uint16_t kFormatMinor = 0;  // a reader ignores a newer one
inline constexpr std::size_t kFileHeaderBytes = 16;

inline constexpr std::uint8_t kChunkMagic[4] = {0xa5, 'S', 'P', 'c'};
inline constexpr std::uint16_t kCodecVersion = 1;
inline constexpr std::size_t kChunkHeaderBytes = 28;

// Limits that a reader enforces before it allocates.
inline constexpr std::size_t kMaxRawBytes = 64u << 20;     // of a payload, decompressed
inline constexpr std::size_t kMaxStoredBytes = 65u << 20;  // of a payload, compressed
inline constexpr std::uint32_t kMaxChunkRows = 1u << 17;
inline constexpr std::size_t kMaxColumns = 256;
inline constexpr std::size_t kMaxChunkStrings = 1u << 20;
inline constexpr std::size_t kMaxListLength = 1u << 16;
inline constexpr std::size_t kMaxStringBytes = 256u
                                               << 20;  // of all strings of a chunk, as handed out

// What the writer aims at: a chunk is written when one of these is reached.
inline constexpr std::uint32_t kTargetRows = 1u << 16;
inline constexpr std::size_t kTargetRawBytes = 1u << 20;
inline constexpr std::size_t kTargetStringBytes = 32u << 20;  // as handed out by the reader
inline constexpr std::size_t kMaxRowBytes = 24u << 20;        // of the strings and lists of one row

}  // namespace srvprof
