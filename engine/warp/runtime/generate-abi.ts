/**
 * Facts that TypeScript needs of the runtime's C files: offsets of fields of shared structs, their sizes, and constants. Clang works out
 * what is listed here, and abi.ts is written from it: `node build/run.mjs ./engine/warp/runtime/generate-abi.ts`, after each change of a
 * struct or of this list; generate.ts does so, too. In the list, names are those of TypeScript, values are expressions in C:
 *
 *   fields('undo', 'Undo', …, 'granule sequence')   undoField = { granule: 0, sequence: 4 }, undoBytes = 1072
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abiText, offsetsOf, type AbiEntry } from '../../base/abi.ts';
import { compileRuntimeToIr } from './compile.ts';
import { runtimeSource } from './source.ts';

/** Offsets of fields, named as in C, and the size of the whole. */
const fields = (name: string, struct: string, says: string, names: string): AbiEntry[] => [
  { name: `${name}Field`, says: `struct ${struct}: ${says}`, value: offsetsOf(`struct ${struct}`, names) },
  { name: `${name}Bytes`, says: `Of struct ${struct}.`, value: `sizeof(struct ${struct})` },
];

const entries: readonly AbiEntry[] = [
  ...fields(
    'launch',
    'Launch',
    'what a kernel and the runtime know of a launch. Byte offsets, as in all structs.',
    `
      params shared sharedBytes ctaid ntid nctaid local localBytes lowest clock warps warpStride warpBase smCount l1Sets l2Sets
      l1Base l2Base variables warp lane l1Hits l1Misses l2Hits l2Misses l2Stored dramReadBytes=dramRead dramWriteBytes=dramWrite l2Across dramRows
      dramFilledBytes=dramFilled dramIdleBytes=dramIdle l2Confirmed matches matchedValues maskedGroups masks hot checks shadow size localTotal log
      logFirst logEnd part parts adjacent reads granules undo undoEnd atomics atomicsFirst atomicsLast trace traceEnd traceFirst traceSeen traceSites traceBlock l2Halves rows partial
      rowEntries partialsOfSet l2Slices
      moves polls peerReads peerWrites owners owner traceStep traceCount traceAt siteCount others left polled managed managedFirst
      managedPages touched touchedCount hostReads hostWrites hostPartial resident samples number round reduction slots blocks sharedStride
      localStride`,
  ),
  {
    name: 'warpField',
    says: 'struct Warp: three vectors of thread indices, then mask, resume point, number.',
    value: offsetsOf('struct Warp', 'tid mask resume id barrier threads'),
  },
  {
    name: 'warpHeaderBytes',
    says: 'The fields of struct Warp; the frame kept over barriers follows.',
    value: '__builtin_offsetof(struct Warp, asked) + sizeof(u32)',
  },
  {
    name: 'warpResult',
    says: 'What a kernel’s function returns for a warp that has not ended.',
    value: {
      barrier: 'AT_BARRIER',
      spins: 'SPINS',
      countedBarrier: 'AT_COUNTED_BARRIER',
      spinsInBlock: 'SPINS_IN_BLOCK',
      polls: 'POLLS',
      hasSeen: 'HAS_SEEN',
    },
  },
  { name: 'blockStateBytes', says: 'Of struct Block, a resident block.', value: 'sizeof(struct Block)' },
  ...fields('blockCounter', 'BlockCount', 'u64 each, of a basic block.', 'times lanes diverged partial'),
  ...fields(
    'siteCounter',
    'Site',
    'u64 each, of a memory instruction.',
    'sectors wavefronts sharedRequests localRequests lines lanes conflicts pastL1 wide localSectors banks passes',
  ),
  ...fields('samples', 'Samples', 'accesses of a site that are kept.', 'count of'),
  ...fields('sample', 'Sample', 'one of them.', 'block warp mask size space address'),
  { name: 'samplesPerSite', says: 'As many are kept.', value: 'SAMPLES' },
  ...fields('undo', 'Undo', 'a granule as it was, and which words were written.', 'granule sequence words before'),
  { name: 'undoGranule', says: 'Bytes.', value: 'UNDO_GRANULE' },
  {
    name: 'blockBegins',
    says: 'Begins a block’s entries in the log of a part; its number follows.',
    value: 'BLOCK_BEGINS',
  },
  ...fields(
    'managedPageEntry',
    'Page',
    'how a page of managed memory was accessed, then when first.',
    'sectors access blocks generation turn block',
  ),
  { name: 'managedPageBytes', says: 'A page of managed memory.', value: 'PAGE_BYTES' },
  { name: 'warpsOfTurn', says: 'The warp’s number is the last digit of a turn.', value: 'WARPS_OF_TURN' },
  { name: 'l1SetBytes', says: 'Of struct L1Set.', value: 'sizeof(struct L1Set)' },
  { name: 'l1SetLines', says: 'Lines in it.', value: 'L1_WAYS' },
  { name: 'l2SetBytes', says: 'Of struct L2Set.', value: 'sizeof(struct L2Set)' },
  { name: 'l2SetLines', says: 'Lines in it.', value: 'L2_WAYS' },
  { name: 'maxParts', says: 'Most parts of a grid that run side by side.', value: 'MOST_PARTS' },
  { name: 'l2Slices', says: 'Of L2, that threads look up side by side.', value: 'SLICES' },
  { name: 'l2SliceGroup', says: 'So many sets are in the same one.', value: 'SLICE_GROUP' },
  { name: 'l2SliceBits', says: 'Bits behind the point of a fraction, see slice_of.', value: 'SLICE_BITS' },
  {
    name: 'partialLineBytes',
    says: 'Of struct Partial, a line that was stored in part.',
    value: 'sizeof(struct Partial)',
  },
  { name: 'hotGranules', says: 'Passes of atomics by 512-byte granule of memory, u32 each.', value: 'HOT_GRANULES' },
  { name: 'shadowBytes', says: 'Of struct Shadow, per word of shared memory.', value: 'sizeof(struct Shadow)' },
  {
    name: 'guardBase',
    says: 'Table of what is allocated: per granule, how many of its bytes; 255: all.',
    value: 'GUARD_BASE',
  },
  { name: 'guardGranule', says: 'Bytes.', value: 'GUARD_GRANULE' },
  { name: 'pagedFromGibibytes', says: 'The first address of paged memory, GiB.', value: 'PAGED_FROM_GIB' },
  { name: 'localCleared', says: 'Of a block: more local memory is not cleared.', value: 'LOCAL_CLEARED' },
  { name: 'frameBytes', says: 'Of a frame, and a page.', value: 'FRAME_BYTES' },
  { name: 'pageTableBase', says: 'Addresses of the frames of pages, u32 each; 0: none.', value: 'PAGE_TABLE_BASE' },
  { name: 'pageCount', says: 'Entries of the table of pages.', value: 'PAGE_COUNT' },
  { name: 'frameUsedBase', says: 'Whether frames were used, u8 each.', value: 'FRAME_USED_BASE' },
  {
    name: 'missingBase',
    says: 'Addresses that lanes have in place of any in memory, u64 each.',
    value: 'MISSING_BASE',
  },
  { name: 'nowhereBase', says: 'A frame’s worth of addresses that stand for those.', value: 'NOWHERE_BASE' },
  { name: 'memoryPages', says: 'Pages of memory, as launches touch them.', value: 'MEMORY_PAGES' },
  { name: 'memoryPageBytes', says: 'Of such a page.', value: '(1u << MEMORY_PAGE_SHIFT)' },
  { name: 'touchedBase', says: 'Whether launches touched them, u8 each.', value: 'TOUCHED_BASE' },
  { name: 'hashKeysBase', says: 'Random bytes, so many as `hashKeyBytes`.', value: 'HASH_KEYS_BASE' },
  {
    name: 'hashKeyBytes',
    says: 'For a page, what is allocated of it, and a second hash.',
    value: 'HASHED_BYTES + (HASHED_BYTES >> GUARD_SHIFT) + 16',
  },
  { name: 'hashListBase', says: 'Pages to hash, u32 each.', value: 'HASH_LIST_BASE' },
  { name: 'hashesBase', says: 'Their hashes, 16 bytes each.', value: 'HASHES_BASE' },
  { name: 'hostOwner', says: 'In the table of owners: page-locked memory of the host.', value: 'HOST_OWNER' },
  {
    name: 'faultCode',
    says: 'Codes of `env.fault`.',
    value: {
      globalRange: 'GLOBAL_RANGE',
      sharedRange: 'SHARED_RANGE',
      misaligned: 'MISALIGNED',
      trap: 'TRAP',
      divergentBarrier: 'DIVERGENT_BARRIER',
      gridBarrier: 'GRID_BARRIER',
      localRange: 'LOCAL_RANGE',
      race: 'RACE',
      assert: 'ASSERT',
      stackOverflow: 'STACK_OVERFLOW',
      badCall: 'BAD_CALL',
      badFree: 'BAD_FREE',
      neverMeet: 'NEVER_MEET',
      notInMask: 'NOT_IN_MASK',
    },
  },
  { name: 'checkBit', says: 'Bits of the launch’s checks.', value: { racecheck: 'CHECK_RACES', order: 'CHECK_ORDER' } },
  ...fields('meeting', 'Meeting', 'lanes that wait for others.', 'flags result'),
  { name: 'meetingBase', says: 'Resume points from here on are places in which lanes meet.', value: 'MEETING_BASE' },
  {
    name: 'meetingKind',
    says: 'What lanes meet for. Shuffles come before; of matches, that of 8 bytes is the next number.',
    value: {
      voteAll: 'VOTE_ALL',
      voteAny: 'VOTE_ANY',
      ballot: 'BALLOT',
      voteUni: 'VOTE_UNI',
      matchAny: 'MATCH_ANY4',
      matchAll: 'MATCH_ALL4',
      redux: 'REDUX',
      syncWarp: 'SYNC_WARP',
    },
  },
  {
    name: 'barrierAction',
    says: 'What is done to a barrier in shared memory, and what of the same kind a trace has.',
    value: {
      init: 'BARRIER_INIT',
      arrive: 'BARRIER_ARRIVE',
      drop: 'BARRIER_DROP',
      test: 'BARRIER_TEST',
      testParity: 'BARRIER_TEST_PARITY',
      bytes: 'BARRIER_BYTES',
      afterCopies: 'BARRIER_COPIES',
      bulkLoad: 'BULK_LOAD',
      bulkStore: 'BULK_STORE',
      numbered: 'BARRIER_NUMBERED',
    },
  },
  { name: 'phaseOver', says: 'In a trace, above the action: phases that it ended.', value: 'PHASE_OVER' },
  {
    name: 'siteOfBarrier',
    says: 'In a trace, in place of the site: a barrier with a number.',
    value: 'SITE_OF_BARRIER',
  },
  {
    name: 'whereFound',
    says: 'In a trace, above a line’s sectors: where it was.',
    value: {
      inL2: 'IN_L2 >> 4',
      inDram: 'IN_DRAM >> 4',
      inOtherHalf: 'IN_OTHER_HALF >> 4',
      inPeer: 'IN_PEER >> 4',
      inHost: 'IN_HOST >> 4',
    },
  },
  { name: 'bulkWay', says: 'Of copies in bulk.', value: { load: 'TO_SHARED', store: 'TO_GLOBAL', prefetch: 'TO_L2' } },
  {
    name: 'matrixElement',
    says: 'Types of the elements of matrices.',
    value: Object.fromEntries(
      ['f16', 'bf16', 'tf32', 'f64', 's8', 'u8', 's4', 'u4', 'b1', 'f32', 's32'].map((type) => [
        type,
        type.toUpperCase(),
      ]),
    ),
  },
  { name: 'integerCoordinates', says: 'Bit of the form of a texture fetch.', value: 'INTEGER_COORDINATES' },
];

/** The text of abi.ts, from the C files as they are now. */
export const runtimeAbi = (): Promise<string> =>
  abiText('generate-abi.ts from the C files of this folder', entries, (declarations) =>
    compileRuntimeToIr(`${runtimeSource()}\n${declarations}`, 'constants'),
  );

export async function writeAbi(): Promise<void> {
  writeFileSync(join(import.meta.dirname, 'abi.ts'), await runtimeAbi());
}

if (process.argv[1] === import.meta.filename) await writeAbi();
