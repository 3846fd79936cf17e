/* L1 of an SM: what stores and loads of a request find there and send on to L2. */

/* Remainder of a line by the number of sets, without dividing: both are small enough that this is exact. */
#define INVERSE_BITS 37
static inline struct L1Set *l1_set(struct Launch *L, u32 line) {
  u32 hash = line ^ (line >> 7) ^ (line >> 14);
  return (struct L1Set *)L->l1 + (hash - (u32)(hash * L->l1Inverse >> INVERSE_BITS) * L->l1Sets);
}

/* Of a request of many lines, all before the first is looked up. */
#define MANY_LINES 4
NOINLINE static void look_ahead(struct Launch *L, u32 count, const u32 *lines) {
  if (!L->log)
    for (u32 i = 0; i < count; i++) l2_look(L, lines[i]);
}

/* Stores go through to L2. What a warp stores to the lines of its store before goes along with that (H200 reference, B4
 * aos_soa_all_fields: three stores that fill each other's gaps are one write in L2). Leaves in `sectors` what is sent, and to whom. `bytes`
 * of a line, by sector: 0 where the sectors are stored as a whole. */
NOINLINE void store_lines(struct Launch *L, u32 count, const u32 *lines, u8 *sectors, const u32 *bytes) {
  L->asking = 1;
  u32 at[4], known = count <= 4 && L->storedWarp == L->warp && L->storedBlock[0] == L->ctaid[0] &&
                     L->storedBlock[1] == L->ctaid[1] && L->storedBlock[2] == L->ctaid[2];
  for (u32 i = 0; known && i < count; i++) {
    u32 k = 0;
    while (k < L->storedCount && L->stored[k] != lines[i]) k++;
    at[i] = k;
    known = k < L->storedCount;
  }
  if (known) {
    for (u32 i = 0; i < count; i++) {
      sectors[i] &= ~L->storedSectors[at[i]];
      L->storedSectors[at[i]] |= sectors[i];
    }
  } else {
    L->storedCount = count <= 4 ? count : 0;
    L->storedWarp = L->warp;
    for (u32 i = 0; i < 3; i++) L->storedBlock[i] = L->ctaid[i];
    for (u32 i = 0; i < L->storedCount; i++) {
      L->stored[i] = lines[i];
      L->storedSectors[i] = sectors[i];
    }
  }
  if (count > MANY_LINES) look_ahead(L, count, lines);
  for (u32 i = 0; i < count; i++)
    if (sectors[i]) {
      /* Stores tell no more than whether they go elsewhere. */
      u32 where = l2_access(L, lines[i], sectors[i], bytes[i] ? PARTIAL : STORE, bytes[i]);
      if (where & IN_PEER) sectors[i] |= where;
    }
}

NOINLINE static u32 l1_search(struct Launch *L, struct L1Set *set, u32 line, u32 sectors) {
  u32 tag = line + 1, way = 0;
  while (way < L1_WAYS - 1 && set->tag[way] != tag) way++;
  u8 valid = set->tag[way] == tag ? set->valid[way] : 0;
  for (u32 i = way; i > 0; i--) {
    set->tag[i] = set->tag[i - 1];
    set->valid[i] = set->valid[i - 1];
  }
  u32 missing = sectors & ~valid;
  L->l1Hits += __builtin_popcount(sectors & valid);
  L->l1Misses += __builtin_popcount(missing);
  L->emptied = 0;
  set->tag[0] = tag;
  set->valid[0] = valid | sectors;
  return missing ? l2_access(L, line, missing, LOAD, 0) : IN_L2;
}

static inline void note_read(struct Launch *L, u32 line, u32 sectors) {
  if (L->reads) ((u8 *)L->reads)[line >> 1] |= sectors << 4 * (line & 1);
}
/* See l1_read. */
NOINLINE static u32 l1_read_all(struct Launch *L, struct Site *site, u32 count, const u32 *lines, u8 *sectors) {
  u32 total = 0, hits = 0;
  L->storedCount = 0;
  L->asking = 1;
  for (u32 i = 0; i < count; i++) note_read(L, lines[i], sectors[i]);
  if (site->pastL1) {
    if (count > MANY_LINES) look_ahead(L, count, lines);
    for (u32 i = 0; i < count; i++) {
      total += __builtin_popcount(sectors[i]);
      sectors[i] |= l2_access(L, lines[i], sectors[i], LOAD, 0);
    }
    L->l1Misses += total;
    return total;
  }
  struct L1Set *sets[64];
  if (count > MANY_LINES) {
    u32 absent[64], amount = 0;
    for (u32 i = 0; i < count; i++) {
      sets[i] = l1_set(L, lines[i]);
      absent[amount] = lines[i];
      amount += sets[i]->tag[0] != lines[i] + 1;
    }
    if (amount > MANY_LINES) look_ahead(L, amount, absent);
  }
  for (u32 i = 0; i < count; i++) {
    struct L1Set *set = count > MANY_LINES ? sets[i] : l1_set(L, lines[i]);
    u32 wanted = sectors[i], amount = __builtin_popcount(wanted);
    total += amount;
    if (set->tag[0] == lines[i] + 1 && (set->valid[0] & wanted) == wanted) {
      hits += amount;
      sectors[i] |= IN_L2;
    } else sectors[i] |= l1_search(L, set, lines[i], wanted);
  }
  L->l1Hits += hits;
  return total;
}

/* The lines of a request, each with its sectors, to which it adds where they were found. Returns how many sectors they are. */
static inline u32 l1_read(struct Launch *L, struct Site *site, u32 count, const u32 *lines, u8 *sectors) {
  if (count == 1 && !site->pastL1) {
    /* Mostly that is where it was. */
    const struct L1Set *set = l1_set(L, lines[0]);
    u32 wanted = sectors[0], amount = __builtin_popcount(wanted);
    if (set->tag[0] == lines[0] + 1 && (set->valid[0] & wanted) == wanted) {
      note_read(L, lines[0], wanted);
      L->storedCount = 0;
      L->asking = 1;
      L->l1Hits += amount;
      sectors[0] |= IN_L2;
      return amount;
    }
  }
  return l1_read_all(L, site, count, lines, sectors);
}

static inline int in_shared(struct Launch *L, u32 address) { return address - L->shared < L->sharedBytes; }
static inline u32 space_of(struct Launch *L, u32 address) {
  return in_shared(L, address) ? SHARED : address - L->local < L->localTotal ? LOCAL : GLOBAL;
}
