// The wire's layout is a contract: both sides are compiled apart, and sizes are in the documentation.
#include <gtest/gtest.h>

#include <cstddef>

#include "config.h"
#include "records.h"

namespace {

static_assert(sizeof(sp_head) == 16);
static_assert(offsetof(sp_request, head) == 96 && sizeof(sp_request) == 96 + SP_HEAD_MAX);
static_assert(sizeof(sp_mark) == 32);
static_assert(sizeof(sp_offcpu) == 48);
static_assert(sizeof(sp_offcpu_long) == 96);
static_assert(sizeof(sp_conn) == 80);
static_assert(sizeof(sp_exchange) == 80);
static_assert(sizeof(sp_client_off) == 48);
static_assert(sizeof(sp_slice) == 16);
static_assert(sizeof(sp_migrate) == 24);
static_assert(sizeof(sp_unsampled) == 16);
static_assert(sizeof(sp_span) == 96);
static_assert(sizeof(sp_probe) == 72);
static_assert((SP_REGISTERS & (SP_REGISTERS - 1)) == 0);
static_assert(offsetof(sp_walk, frame) == 32 && sizeof(sp_walk) == 32 + 16 * SP_STACK_MAX);

TEST(Records, FitTheBudgetOfTheRing) {
  // A request with a first line of up to 32 bytes and its two switches: below 200 bytes with headers.
  const std::size_t head = 8;
  EXPECT_LE(offsetof(sp_request, head) + 32 + head, 150u);
  EXPECT_LE(sizeof(sp_offcpu) + head, 56u);
  EXPECT_EQ(offsetof(sp_request, head) % 8, 0u);
}

TEST(Records, QueuesArePowersOfTwo) {
  EXPECT_EQ(SP_CLIENT_SLOTS & (SP_CLIENT_SLOTS - 1), 0);
  EXPECT_EQ(SP_ACCEPT_SLOTS & (SP_ACCEPT_SLOTS - 1), 0);
  EXPECT_EQ(SP_MAX_CPUS & (SP_MAX_CPUS - 1), 0);
}

}  // namespace
