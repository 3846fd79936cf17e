/** All rules: to add one, write its file and list it here. Those that speak only where nothing else is wrong come last. */
import type { Rule } from '../rule.ts';
import { accidentalDoubles } from './accidental-doubles.ts';
import { aosLayout } from './aos-layout.ts';
import { atomicContention } from './atomic-contention.ts';
import { bankConflicts } from './bank-conflicts.ts';
import { barrierStalls } from './barrier-stalls.ts';
import { cacheCarveOut } from './cache-carve-out.ts';
import { copyBound } from './copy-bound.ts';
import { divergence } from './divergence.ts';
import { failedLaunch } from './failed-launch.ts';
import { hostBound } from './host-bound.ts';
import { launchBound } from './launch-bound.ts';
import { legacyDefaultStream } from './legacy-default-stream.ts';
import { lowL2HitRate } from './low-l2-hit-rate.ts';
import { lowOccupancy } from './low-occupancy.ts';
import { lowSectorUse } from './low-sector-use.ts';
import { misalignedAccess } from './misaligned-access.ts';
import { missedAsyncCopy } from './missed-async-copy.ts';
import { missedTensorCores } from './missed-tensor-cores.ts';
import { missedVectorLoads } from './missed-vector-loads.ts';
import { missingOverlap } from './missing-overlap.ts';
import { needlessSync } from './needless-sync.ts';
import { pageableCopies } from './pageable-copies.ts';
import { registerSpills } from './register-spills.ts';
import { repeatedGlobalLoads } from './repeated-global-loads.ts';
import { smallGrid } from './small-grid.ts';
import { stopHere } from './stop-here.ts';
import { synchronousApis } from './synchronous-apis.ts';
import { tailEffect } from './tail-effect.ts';
import { uncoalescedAccess } from './uncoalesced-access.ts';
import { unfusedKernels } from './unfused-kernels.ts';
import { unifiedMemoryThrashing } from './unified-memory-thrashing.ts';

export const rules: readonly Rule[] = [
  failedLaunch,
  ...[
    hostBound,
    launchBound,
    needlessSync,
    synchronousApis,
    pageableCopies,
    legacyDefaultStream,
    missingOverlap,
    copyBound,
    unifiedMemoryThrashing,
  ],
  ...[uncoalescedAccess, lowSectorUse, misalignedAccess, aosLayout, repeatedGlobalLoads, lowL2HitRate, cacheCarveOut],
  ...[bankConflicts, atomicContention, registerSpills, unfusedKernels],
  ...[accidentalDoubles, divergence, missedTensorCores],
  ...[lowOccupancy, barrierStalls, tailEffect, smallGrid, missedVectorLoads, missedAsyncCopy],
  stopHere,
];
