/*
 * Lanes of a warp that have come to an operation of the warp in different places (see ../widen/meetings.ts): since Volta they wait
 * there until all lanes that the operation's mask names, and that have not exited, have come to one of the same kind with the same
 * mask, wherever in the program (PTX ISA, shfl.sync and the like). Lanes that have stopped at a barrier of the block wait as well.
 */
struct Meeting {
  u32 exited, waiting, stopped, flags;            /* lanes; of results the predicate */
  u32 members[32], kind[32], place[32], site[32]; /* whom a lane waits for, at what, and where it goes on */
  u32 result[32];
  u64 value[32];
  u32 b[32], c[32];
  u32 barrier[32], threads[32]; /* ~0 for barriers without a count */
};
/* Operations; before them those of shuffle, behind REDUX those of reduce4. */
enum { VOTE_ALL = 4, VOTE_ANY = 5, BALLOT = 6, VOTE_UNI = 7, MATCH_ANY4 = 8, MATCH_ANY8 = 9, MATCH_ALL4 = 10, MATCH_ALL8 = 11, REDUX = 12, SYNC_WARP = 20 };
/* Resume points from here on are places of the function in which lanes meet. */
#define MEETING_BASE 0x10000u

/* The first place of some ranges at which lanes wait; ~0 if there is none. Ranges are pairs that end with ~0. */
NOINLINE u32 next_place(const u32 *lanes, const u32 *ranges) {
  for (; ranges[0] != ~0u; ranges += 2)
    for (u32 place = ranges[0]; place < ranges[1]; place++)
      if (lanes[place]) return place;
  return ~0u;
}

NOINLINE void begin_meeting(struct Meeting *M, u32 bytes) { __builtin_memset(M, 0, bytes); }

/* What the lanes `there` get, which are all that it takes. Who shuffles from a lane that takes no part gets 0, as on an H100. */
static void complete(struct Launch *L, struct Meeting *M, u32 kind, u32 there) {
  v32 words = {0}, result = {0};
  d32 values;
  u32 bits = 0, same = 1, flags = 0;
  u64 first = M->value[__builtin_ctz(there)];
  for (u32 lane = 0; lane < 32; lane++) values[lane] = M->value[lane];
  for (u32 left = there; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    words[lane] = M->value[lane];
    bits |= (words[lane] & 1) << lane;
    same &= M->value[lane] == first;
  }
  if (kind < VOTE_ALL) flags = shuffle(&result, words, *(v32 *)M->b, *(v32 *)M->c, kind);
  else if (kind == VOTE_ALL) flags = bits == there ? there : 0;
  else if (kind == VOTE_ANY) flags = bits ? there : 0;
  else if (kind == VOTE_UNI) flags = bits == there || !bits ? there : 0;
  else if (kind == BALLOT) result += bits;
  else if (kind == MATCH_ANY4 || kind == MATCH_ANY8) match_any8(L, &result, values, there);
  else if (kind == MATCH_ALL4 || kind == MATCH_ALL8) {
    L->matches++;
    L->matchedValues++;
    flags = same ? there : 0;
    result += flags;
  } else if (kind < SYNC_WARP) result += reduce4(words, there, kind - REDUX);
  for (u32 left = there; left; left &= left - 1) M->result[__builtin_ctz(left)] = result[__builtin_ctz(left)];
  M->flags = (M->flags & ~there) | (flags & there);
}

/* Lets all go on that wait for nobody any more. `lanes`: at each place those that are to be executed there. */
static void gather(struct Launch *L, struct Warp *warp, struct Meeting *M, u32 *lanes) {
  for (u32 left = M->waiting; left;) {
    u32 first = __builtin_ctz(left), kind = M->kind[first], members = M->members[first], there = 0;
    for (u32 other = left; other; other &= other - 1) {
      u32 lane = __builtin_ctz(other);
      if (M->kind[lane] == kind && M->members[lane] == members) there |= 1u << lane;
    }
    left &= ~there;
    if (members & warp->mask & ~M->exited & ~there) continue;
    complete(L, M, kind, there);
    M->waiting &= ~there;
    for (; there; there &= there - 1) lanes[M->place[__builtin_ctz(there)]] |= there & -there;
  }
}

/* Lanes of `mask` come to an operation; they go on at `place`, once all are there. */
NOINLINE void meet(struct Launch *L, struct Warp *warp, struct Meeting *M, u32 *lanes, u32 mask, u32 kind, u32 place, u32 site,
                   const u32 *members, const u64 *value, const u32 *b, const u32 *c) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    M->members[lane] = members[lane];
    M->kind[lane] = kind;
    M->place[lane] = place;
    M->site[lane] = site;
    M->value[lane] = value[lane];
    M->b[lane] = b[lane];
    M->c[lane] = c[lane];
  }
  M->waiting |= mask;
  gather(L, warp, M, lanes);
}

NOINLINE void lanes_exit(struct Launch *L, struct Warp *warp, struct Meeting *M, u32 *lanes, u32 mask) {
  M->exited |= mask;
  gather(L, warp, M, lanes);
}

/* `threads`: of a barrier with a number, those that it waits for; ~0 for __syncthreads. */
NOINLINE void stop_at_barrier(struct Meeting *M, u32 mask, u32 place, u32 site, u32 barrier, u32 threads) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    M->place[lane] = place;
    M->site[lane] = site;
    M->barrier[lane] = barrier;
    M->threads[lane] = threads;
  }
  M->stopped |= mask;
}

/* No lane can go on without others: what the warp's function returns then. */
NOINLINE u32 settle(struct Launch *L, struct Warp *warp, struct Meeting *M, u32 *lanes, struct Site *sites) {
  if (M->waiting) {
    u32 lane = __builtin_ctz(M->waiting), same = 0;
    for (u32 left = M->waiting; left; left &= left - 1) {
      u32 other = __builtin_ctz(left);
      if (M->kind[other] == M->kind[lane] && M->members[other] == M->members[lane] && M->site[other] == M->site[lane]) same |= 1u << other;
    }
    u32 missing = M->members[lane] & warp->mask & ~M->exited & ~same;
    L->reduction[0] = same;
    L->reduction[1] = missing;
    L->reduction[2] = M->site[__builtin_ctz(missing)];
    fault_at(L, NEVER_MEET, &sites[M->site[lane]], M->members[lane], lane, 0);
  }
  if (!M->stopped) return 0;
  u32 lane = __builtin_ctz(M->stopped);
  for (u32 left = M->stopped; left; left &= left - 1)
    if (M->place[__builtin_ctz(left)] != M->place[lane]) fault_at(L, DIVERGENT_BARRIER, &sites[M->site[lane]], 0, lane, 0);
  lanes[M->place[lane]] |= M->stopped;
  M->stopped = 0;
  warp->resume = MEETING_BASE + M->place[lane];
  if (M->threads[lane] == ~0u) return AT_BARRIER;
  warp->barrier = M->barrier[lane];
  warp->threads = M->threads[lane];
  return AT_COUNTED_BARRIER;
}
