-- A .simsight trace: format version 12. See engine/trace/SCHEMA.md.
--
-- Tables without the prefix SIMSIGHT_ have the names, columns, units and enumerations of the SQLite export of Nsight
-- Systems (export schema 3.25), so that scripts written for it work here. All times are nanoseconds since the start of
-- the recording. Indexes on events are made when a recording ends: see engine/trace/writer.ts.

-- What a recording is of: processes, GPUs, contexts, streams, and the names that events refer to.

CREATE TABLE StringIds (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    value                       TEXT      NOT NULL
);

CREATE TABLE PROCESSES (
    globalPid                   INTEGER,
    pid                         INTEGER,
    name                        TEXT
);

CREATE TABLE ThreadNames (
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    priority                    INTEGER,
    globalTid                   INTEGER
);

CREATE TABLE TARGET_INFO_GPU (
    vmId                        INTEGER   NOT NULL,
    id                          INTEGER   NOT NULL,
    name                        TEXT,
    busLocation                 TEXT,
    isDiscrete                  INTEGER,
    l2CacheSize                 INTEGER,             -- (B)
    totalMemory                 INTEGER,             -- (B)
    memoryBandwidth             INTEGER,             -- (B/s)
    clockRate                   INTEGER,             -- (Hz)
    smCount                     INTEGER,
    pwGpuId                     INTEGER,
    uuid                        TEXT,
    luid                        INTEGER,
    chipName                    TEXT,
    cuDevice                    INTEGER,
    ctxswDevPath                TEXT,
    ctrlDevPath                 TEXT,
    revision                    INTEGER,
    nodeMask                    INTEGER,
    constantMemory              INTEGER,
    maxIPC                      INTEGER,
    maxRegistersPerBlock        INTEGER,
    maxShmemPerBlock            INTEGER,
    maxShmemPerBlockOptin       INTEGER,
    maxShmemPerSm               INTEGER,
    maxRegistersPerSm           INTEGER,
    threadsPerWarp              INTEGER,
    asyncEngines                INTEGER,
    maxWarpsPerSm               INTEGER,
    maxBlocksPerSm              INTEGER,
    maxThreadsPerBlock          INTEGER,
    maxBlockDimX                INTEGER,
    maxBlockDimY                INTEGER,
    maxBlockDimZ                INTEGER,
    maxGridDimX                 INTEGER,
    maxGridDimY                 INTEGER,
    maxGridDimZ                 INTEGER,
    computeMajor                INTEGER,
    computeMinor                INTEGER,
    smMajor                     INTEGER,
    smMinor                     INTEGER
);

CREATE TABLE TARGET_INFO_CUDA_DEVICE (
    gpuId                       INTEGER,
    cudaId                      INTEGER   NOT NULL,
    pid                         INTEGER   NOT NULL,
    uuid                        TEXT,
    numMultiprocessors          INTEGER
);

CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (
    nullStreamId                INTEGER   NOT NULL,
    hwId                        INTEGER   NOT NULL,
    vmId                        INTEGER   NOT NULL,
    processId                   INTEGER   NOT NULL,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    parentContextId             INTEGER,
    isGreenContext              INTEGER,
    numMultiprocessors          INTEGER
);

CREATE TABLE TARGET_INFO_CUDA_STREAM (
    streamId                    INTEGER   NOT NULL,
    hwId                        INTEGER   NOT NULL,
    vmId                        INTEGER   NOT NULL,
    processId                   INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    priority                    INTEGER   NOT NULL,
    flag                        INTEGER   NOT NULL   -- REFERENCES ENUM_CUPTI_STREAM_TYPE(id)
);

CREATE TABLE TARGET_INFO_SESSION_START_TIME (
    utcEpochNs                  INTEGER,
    utcTime                     TEXT,
    localTime                   TEXT,
    systemClockNs               INTEGER
);

CREATE TABLE META_DATA_EXPORT (
    name                        TEXT      NOT NULL,
    value                       TEXT
);

-- The recording itself: how it was made, notices, what the program printed, its sources.

CREATE TABLE SIMSIGHT_RECORDING (
    name                        TEXT      NOT NULL   PRIMARY KEY,
    value                       TEXT
) WITHOUT ROWID;

CREATE TABLE SIMSIGHT_NOTICES (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    text                        TEXT      NOT NULL
);

CREATE TABLE SIMSIGHT_CONSOLE (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    time                        INTEGER   NOT NULL,  -- (ns)
    stream                      INTEGER   NOT NULL,  -- 1 = stdout, 2 = stderr
    text                        TEXT      NOT NULL
);

CREATE TABLE SIMSIGHT_SOURCES (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    path                        TEXT      NOT NULL,
    text                        TEXT      NOT NULL
);

CREATE TABLE SIMSIGHT_FAILURES (
    id INTEGER PRIMARY KEY,
    correlationId INTEGER NOT NULL,         -- Of the call that launched it.
    kernel INTEGER,                         -- Row of CUPTI_ACTIVITY_KIND_KERNEL; NULL where nothing was on the GPU.
    nameId INTEGER REFERENCES StringIds(id),-- Name of the kernel; NULL of copies and fills.
    error INTEGER NOT NULL,                 -- cudaError_t; 0 where a limit of the recording stopped the program.
    errorName TEXT NOT NULL,
    message TEXT NOT NULL,
    remedy TEXT NOT NULL,
    file TEXT,                              -- Line of the source, as SIMSIGHT_SOURCES names files; NULL where none is known.
    line INTEGER
);

-- Events. What differs from event to event is in one table, what many have in common (the "shape") in another;
-- times count from that of a frame of 1024 events. Events are numbered by rowid, from 1 without a gap. The tables of
-- Nsight Systems are views of the three, with the columns that they have there.

CREATE TABLE SIMSIGHT_METRIC_SETS (
    id                          INTEGER   NOT NULL,
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    value                       REAL      NOT NULL,
    PRIMARY KEY (id, nameId)
) WITHOUT ROWID;

CREATE TABLE SIMSIGHT_SHAPES_KERNEL (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    globalPid                   INTEGER,             -- Serialized GlobalId.
    demangledName               INTEGER   NOT NULL,  -- REFERENCES StringIds(id), with template arguments
    shortName                   INTEGER   NOT NULL,  -- REFERENCES StringIds(id), function name only
    mangledName                 INTEGER,             -- REFERENCES StringIds(id)
    launchType                  INTEGER,             -- REFERENCES ENUM_CUDA_KERNEL_LAUNCH_TYPE(id)
    cacheConfig                 INTEGER,             -- REFERENCES ENUM_CUDA_FUNC_CACHE_CONFIG(id)
    registersPerThread          INTEGER   NOT NULL,
    gridX                       INTEGER   NOT NULL,
    gridY                       INTEGER   NOT NULL,
    gridZ                       INTEGER   NOT NULL,
    blockX                      INTEGER   NOT NULL,
    blockY                      INTEGER   NOT NULL,
    blockZ                      INTEGER   NOT NULL,
    staticSharedMemory          INTEGER   NOT NULL,  -- Per block (B).
    dynamicSharedMemory         INTEGER   NOT NULL,  -- Per block (B).
    localMemoryPerThread        INTEGER   NOT NULL,  -- (B)
    localMemoryTotal            INTEGER   NOT NULL,  -- Reserved for all threads that can be resident (B).
    sharedMemoryExecuted        INTEGER,             -- Shared memory per SM that the driver configured (B).
    graphNodeId                 INTEGER,
    sharedMemoryLimitConfig     INTEGER,             -- REFERENCES ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG(id)
    qmdBulkReleaseDone          INTEGER,
    qmdPreexitDone              INTEGER,
    qmdLastCtaDone              INTEGER,
    graphId                     INTEGER,
    clusterX                    INTEGER,
    clusterY                    INTEGER,
    clusterZ                    INTEGER,
    clusterSchedulingPolicy     INTEGER,
    maxPotentialClusterSize     INTEGER,
    maxActiveClusters           INTEGER,
    sharedMemoryRequestedPercentage INTEGER,
    metricSet                   INTEGER,             -- REFERENCES SIMSIGHT_METRIC_SETS(id)
    profile                     INTEGER,             -- REFERENCES SIMSIGHT_PROFILES(id)
    tensorSizeMinusOneElements  TEXT
);

CREATE TABLE SIMSIGHT_EVENTS_KERNEL (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_KERNEL(id)
);

CREATE TABLE SIMSIGHT_FRAMES_KERNEL (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE TABLE SIMSIGHT_SHAPES_MEMCPY (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    globalPid                   INTEGER,
    bytes                       INTEGER   NOT NULL,
    copyKind                    INTEGER   NOT NULL,  -- REFERENCES ENUM_CUDA_MEMCPY_OPER(id)
    deprecatedSrcId             INTEGER,
    srcKind                     INTEGER,             -- REFERENCES ENUM_CUDA_MEM_KIND(id)
    dstKind                     INTEGER,             -- REFERENCES ENUM_CUDA_MEM_KIND(id)
    srcDeviceId                 INTEGER,
    srcContextId                INTEGER,
    dstDeviceId                 INTEGER,
    dstContextId                INTEGER,
    migrationCause              INTEGER,
    graphNodeId                 INTEGER,
    virtualAddress              INTEGER,
    copyCount                   INTEGER,
    engine                      INTEGER             -- Copy engine, from 0.
);

CREATE TABLE SIMSIGHT_EVENTS_MEMCPY (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_MEMCPY(id)
);

CREATE TABLE SIMSIGHT_FRAMES_MEMCPY (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.bytes, s.copyKind, s.deprecatedSrcId, s.srcKind, s.dstKind,
    s.srcDeviceId, s.srcContextId, s.dstDeviceId, s.dstContextId, s.migrationCause, s.graphNodeId, s.virtualAddress,
    s.copyCount, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_MEMCPY e CROSS JOIN SIMSIGHT_FRAMES_MEMCPY f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_MEMCPY s ON s.id = e.shape;

CREATE TABLE SIMSIGHT_SHAPES_MEMSET (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    globalPid                   INTEGER,
    value                       INTEGER   NOT NULL,
    bytes                       INTEGER   NOT NULL,
    graphNodeId                 INTEGER,
    memKind                     INTEGER              -- REFERENCES ENUM_CUDA_MEM_KIND(id)
);

CREATE TABLE SIMSIGHT_EVENTS_MEMSET (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_MEMSET(id)
);

CREATE TABLE SIMSIGHT_FRAMES_MEMSET (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.value, s.bytes, s.graphNodeId, s.memKind, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_MEMSET e CROSS JOIN SIMSIGHT_FRAMES_MEMSET f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_MEMSET s ON s.id = e.shape;

CREATE TABLE SIMSIGHT_SHAPES_RUNTIME (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    eventClass                  INTEGER   NOT NULL,  -- REFERENCES ENUM_NSYS_EVENT_CLASS(id)
    globalTid                   INTEGER,             -- Serialized GlobalId.
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    returnValue                 INTEGER   NOT NULL,  -- cudaError_t
    callchainId                 INTEGER
);

CREATE TABLE SIMSIGHT_EVENTS_RUNTIME (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_RUNTIME(id)
);

CREATE TABLE SIMSIGHT_FRAMES_RUNTIME (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.eventClass, s.globalTid, e.correlationId,
    s.nameId, s.returnValue, s.callchainId, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_RUNTIME e CROSS JOIN SIMSIGHT_FRAMES_RUNTIME f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_RUNTIME s ON s.id = e.shape;

CREATE TABLE SIMSIGHT_SHAPES_SYNCHRONIZATION (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,  -- 4294967295 = none
    globalPid                   INTEGER,
    deprecatedSyncType          INTEGER,
    syncType                    INTEGER   NOT NULL,  -- REFERENCES ENUM_CUPTI_SYNC_TYPE(id)
    eventId                     INTEGER   NOT NULL,  -- 4294967295 = none
    eventSyncId                 INTEGER
);

CREATE TABLE SIMSIGHT_EVENTS_SYNCHRONIZATION (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_SYNCHRONIZATION(id)
);

CREATE TABLE SIMSIGHT_FRAMES_SYNCHRONIZATION (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE VIEW CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.deprecatedSyncType, s.syncType, s.eventId, s.eventSyncId,
    e.rowid AS rowid
FROM SIMSIGHT_EVENTS_SYNCHRONIZATION e CROSS JOIN SIMSIGHT_FRAMES_SYNCHRONIZATION f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_SYNCHRONIZATION s ON s.id = e.shape;

CREATE TABLE SIMSIGHT_SHAPES_GRAPH_TRACE (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    globalPid                   INTEGER,
    graphId                     INTEGER   NOT NULL,
    graphExecId                 INTEGER   NOT NULL
);

CREATE TABLE SIMSIGHT_EVENTS_GRAPH_TRACE (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_GRAPH_TRACE(id)
);

CREATE TABLE SIMSIGHT_FRAMES_GRAPH_TRACE (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE VIEW CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.graphId, s.graphExecId, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_GRAPH_TRACE e CROSS JOIN SIMSIGHT_FRAMES_GRAPH_TRACE f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_GRAPH_TRACE s ON s.id = e.shape;

CREATE TABLE SIMSIGHT_SHAPES_NVTX (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    eventType                   INTEGER   NOT NULL,  -- REFERENCES ENUM_NSYS_EVENT_TYPE(id)
    rangeId                     INTEGER,
    category                    INTEGER,
    color                       INTEGER,
    text                        TEXT,
    globalTid                   INTEGER,
    endGlobalTid                INTEGER,
    textId                      INTEGER,             -- REFERENCES StringIds(id)
    domainId                    INTEGER,
    uint64Value                 INTEGER,
    int64Value                  INTEGER,
    doubleValue                 REAL,
    uint32Value                 INTEGER,
    int32Value                  INTEGER,
    floatValue                  REAL,
    jsonTextId                  INTEGER,
    jsonText                    TEXT,
    binaryData                  TEXT
);

CREATE TABLE SIMSIGHT_EVENTS_NVTX (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER,              -- (ns)
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_NVTX(id)
);

CREATE TABLE SIMSIGHT_FRAMES_NVTX (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE VIEW NVTX_EVENTS AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.eventType, s.rangeId, s.category, s.color,
    s.text, s.globalTid, s.endGlobalTid, s.textId, s.domainId, s.uint64Value, s.int64Value, s.doubleValue,
    s.uint32Value, s.int32Value, s.floatValue, s.jsonTextId, s.jsonText, s.binaryData, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_NVTX e CROSS JOIN SIMSIGHT_FRAMES_NVTX f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_NVTX s ON s.id = e.shape;

CREATE VIEW SIMSIGHT_KERNEL_METRICS AS SELECT e.rowid AS kernel, m.nameId, m.value
FROM SIMSIGHT_EVENTS_KERNEL e CROSS JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape
CROSS JOIN SIMSIGHT_METRIC_SETS m ON m.id = s.metricSet;

CREATE VIEW SIMSIGHT_KERNEL_PROFILES AS SELECT e.rowid AS kernel, s.profile
FROM SIMSIGHT_EVENTS_KERNEL e CROSS JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape WHERE s.profile IS NOT NULL;

CREATE VIEW SIMSIGHT_COPY_ENGINES AS SELECT e.rowid AS memcpy, s.engine
FROM SIMSIGHT_EVENTS_MEMCPY e CROSS JOIN SIMSIGHT_SHAPES_MEMCPY s ON s.id = e.shape WHERE s.engine IS NOT NULL;

CREATE TABLE SIMSIGHT_SHAPES_OSRT (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    eventClass                  INTEGER   NOT NULL,
    globalTid                   INTEGER,
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    returnValue                 INTEGER   NOT NULL,
    nestingLevel                INTEGER,
    callchainId                 INTEGER   NOT NULL,
    argumentsId                 INTEGER
);

CREATE TABLE SIMSIGHT_EVENTS_OSRT (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_OSRT(id)
);

CREATE TABLE SIMSIGHT_FRAMES_OSRT (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);

CREATE VIEW OSRT_API AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.eventClass, s.globalTid, s.nameId, s.returnValue,
    s.nestingLevel, s.callchainId, s.argumentsId, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_OSRT e CROSS JOIN SIMSIGHT_FRAMES_OSRT f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_OSRT s ON s.id = e.shape;

CREATE TABLE SIMSIGHT_GRID_IDS (
    kernel                      INTEGER   NOT NULL   PRIMARY KEY,  -- REFERENCES CUPTI_ACTIVITY_KIND_KERNEL(rowid)
    gridId                      INTEGER   NOT NULL
);

CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.demangledName, s.shortName, s.mangledName, s.launchType,
    s.cacheConfig, s.registersPerThread, s.gridX, s.gridY, s.gridZ, s.blockX, s.blockY, s.blockZ,
    s.staticSharedMemory, s.dynamicSharedMemory, s.localMemoryPerThread, s.localMemoryTotal, coalesce((SELECT
    g.gridId FROM SIMSIGHT_GRID_IDS g WHERE g.kernel = e.rowid), e.rowid) AS gridId, s.sharedMemoryExecuted,
    s.graphNodeId, s.sharedMemoryLimitConfig, s.qmdBulkReleaseDone, s.qmdPreexitDone, s.qmdLastCtaDone, s.graphId,
    s.clusterX, s.clusterY, s.clusterZ, s.clusterSchedulingPolicy, s.maxPotentialClusterSize, s.maxActiveClusters,
    s.sharedMemoryRequestedPercentage, s.tensorSizeMinusOneElements, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_KERNEL e CROSS JOIN SIMSIGHT_FRAMES_KERNEL f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape;

-- Unified memory, memory in use, and what waits for what. Kinds of events of which there are few have their tables from their descriptions
-- (engine/model/event-kinds/), page faults among them.

CREATE TABLE SIMSIGHT_CPU_PAGE_FAULTS (
    fault                       INTEGER   NOT NULL   PRIMARY KEY,  -- rowid in CUDA_UM_CPU_PAGE_FAULT_EVENTS
    end                         INTEGER   NOT NULL,
    accessType                  INTEGER   NOT NULL   -- REFERENCES ENUM_CUDA_UNIF_MEM_ACCESS_TYPE(id)
);

CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (
    start                       INTEGER   NOT NULL,
    globalPid                   INTEGER,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    address                     INTEGER   NOT NULL,
    pc                          INTEGER,
    bytes                       INTEGER   NOT NULL,
    memKind                     INTEGER   NOT NULL,  -- REFERENCES ENUM_CUDA_MEM_KIND(id)
    memoryOperationType         INTEGER   NOT NULL,  -- REFERENCES ENUM_CUDA_DEV_MEM_EVENT_OPER(id)
    name                        TEXT,
    correlationId               INTEGER,
    streamId                    INTEGER,
    localMemoryPoolAddress      INTEGER,
    localMemoryPoolReleaseThreshold INTEGER,
    localMemoryPoolSize         INTEGER,
    localMemoryPoolUtilizedSize INTEGER,
    importedMemoryPoolAddress   INTEGER,
    importedMemoryPoolProcessId INTEGER
);

CREATE TABLE SIMSIGHT_STREAM_DEPENDENCIES (
    correlationId               INTEGER   NOT NULL,
    waitsFor                    INTEGER   NOT NULL
);

CREATE TABLE SIMSIGHT_IMPLICIT_WAITS (
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL,
    streamId INTEGER NOT NULL,              -- That waited.
    globalPid INTEGER,
    correlationId INTEGER NOT NULL,         -- Of the call that put the work there.
    otherStreamId INTEGER NOT NULL,         -- Of what it waited for; one of the two is the default stream.
    waitsFor INTEGER NOT NULL               -- Correlation id of that; 0 where it did nothing but take its turn.
);

-- What the simulated SMs saw of a kernel.

CREATE TABLE SIMSIGHT_PROFILES (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    cycles                      INTEGER   NOT NULL,  -- Simulated, of the SM's clock.
    share                       REAL      NOT NULL,  -- Of the warp instructions of an SM, those that were simulated: 0 to 1.
    warpCycles                  INTEGER   NOT NULL   -- The cycle up to which SIMSIGHT_WARP_STATES goes.
);

CREATE TABLE SIMSIGHT_INSTRUCTIONS (
    profile                     INTEGER   NOT NULL,  -- REFERENCES SIMSIGHT_PROFILES(id)
    instruction                 INTEGER   NOT NULL,  -- Place in the machine code, from 0.
    opcodeId                    INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    block                       INTEGER   NOT NULL,  -- Basic block, from 0.
    fileId                      INTEGER,             -- REFERENCES StringIds(id); NULL: no line of the program's own
    line                        INTEGER,             -- From 1.
    executed                    REAL      NOT NULL,  -- By warps (inst_executed).
    threads                     REAL      NOT NULL,  -- Active lanes of those, summed (thread_inst_executed).
    threadsOn                   REAL      NOT NULL,  -- Of these, with their predicate on (thread_inst_executed_true).
    sectors                     INTEGER   NOT NULL,  -- Of global and local memory, 32 bytes each.
    wavefronts                  INTEGER   NOT NULL,  -- Passes of shared memory.
    operands                    TEXT      NOT NULL,  -- What it reads and writes.
    partial                     REAL      NOT NULL,  -- Executions with fewer than 32 lanes whose predicate was on.
    idealWavefronts             INTEGER   NOT NULL,  -- Without bank conflicts.
    PRIMARY KEY (profile, instruction)
) WITHOUT ROWID;

CREATE TABLE SIMSIGHT_INSTRUCTION_STATES (
    profile                     INTEGER   NOT NULL,
    instruction                 INTEGER   NOT NULL,
    state                       INTEGER   NOT NULL,  -- REFERENCES ENUM_SIMSIGHT_WARP_STATE(id)
    cycles                      REAL      NOT NULL,
    PRIMARY KEY (profile, instruction, state)
) WITHOUT ROWID;

CREATE TABLE SIMSIGHT_SM_BLOCKS (
    profile                     INTEGER   NOT NULL,
    block                       INTEGER   NOT NULL,  -- Number in the grid: x first, then y, then z.
    start                       INTEGER   NOT NULL,  -- (cycles)
    end                         INTEGER,             -- (cycles) NULL: the simulation ended before it did.
    PRIMARY KEY (profile, block)
) WITHOUT ROWID;

CREATE TABLE SIMSIGHT_WARP_CHUNKS (
    profile                     INTEGER   NOT NULL,  -- REFERENCES SIMSIGHT_PROFILES(id)
    sm                          INTEGER   NOT NULL,
    subPartition                INTEGER   NOT NULL,
    slots                       INTEGER   NOT NULL,  -- Warp slots of the sub-partition: slot n of the SM is in sub-partition n modulo their number.
    resolution                  INTEGER   NOT NULL,  -- (cycles) Width of the cells whose sums are kept; 0: every state as it was.
    start                       INTEGER   NOT NULL,  -- (cycles)
    end                         INTEGER   NOT NULL,  -- (cycles)
    intervals                   INTEGER   NOT NULL,  -- That start in it.
    data                        BLOB      NOT NULL,   -- See engine/trace/SCHEMA.md.
    issues                      BLOB
);

CREATE INDEX SIMSIGHT_WARP_CHUNKS_PROFILE ON SIMSIGHT_WARP_CHUNKS (profile);

CREATE TABLE SIMSIGHT_WARP_MIX (
    profile                     INTEGER   NOT NULL   PRIMARY KEY,  -- REFERENCES SIMSIGHT_PROFILES(id)
    width                       INTEGER   NOT NULL,  -- (cycles) Of a cell.
    cells                       INTEGER   NOT NULL,
    data                        BLOB      NOT NULL   -- See engine/trace/SCHEMA.md.
);

CREATE TABLE SIMSIGHT_ACCESS_SAMPLES (
    profile                     INTEGER   NOT NULL,
    instruction                 INTEGER   NOT NULL,
    block                       INTEGER   NOT NULL,
    warp                        INTEGER   NOT NULL,
    space                       INTEGER   NOT NULL,  -- 1 global, 3 shared
    size                        INTEGER   NOT NULL,
    lanes                       INTEGER   NOT NULL,
    addresses                   BLOB      NOT NULL
);

CREATE INDEX SIMSIGHT_ACCESS_SAMPLES_PROFILE ON SIMSIGHT_ACCESS_SAMPLES (profile, instruction);

CREATE TABLE SIMSIGHT_BRANCHES (
    profile                     INTEGER   NOT NULL,
    instruction                 INTEGER   NOT NULL,
    executed                    INTEGER   NOT NULL,
    diverged                    INTEGER   NOT NULL,
    taken                       INTEGER,
    notTaken                    INTEGER
);

CREATE INDEX SIMSIGHT_BRANCHES_PROFILE ON SIMSIGHT_BRANCHES (profile, instruction);

CREATE TABLE SIMSIGHT_SHARED_ARRAYS (
    profile                     INTEGER   NOT NULL,
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    offset                      INTEGER   NOT NULL,
    bytes                       INTEGER,
    rowBytes                    INTEGER
);

CREATE INDEX SIMSIGHT_SHARED_ARRAYS_PROFILE ON SIMSIGHT_SHARED_ARRAYS (profile, offset);

-- The rows of the timeline with their events packed for drawing, and its charts: see engine/trace/SCHEMA.md.

CREATE TABLE SIMSIGHT_TRACKS (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    key                         TEXT      NOT NULL,
    lanes                       INTEGER   NOT NULL,
    events                      INTEGER   NOT NULL,
    busy                        INTEGER   NOT NULL,  -- Time with at least one event (ns).
    end                         INTEGER   NOT NULL   -- Of the last event (ns).
);

CREATE TABLE SIMSIGHT_STYLES (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    kind                        INTEGER   NOT NULL,
    flavour                     INTEGER   NOT NULL,
    label                       TEXT      NOT NULL,
    fullName                    TEXT      NOT NULL
);

CREATE TABLE SIMSIGHT_TRACK_CHUNKS (
    track                       INTEGER   NOT NULL,  -- REFERENCES SIMSIGHT_TRACKS(id)
    resolution                  INTEGER   NOT NULL,  -- Width of the cells in which short events became one (ns), 0 = events.
    lane                        INTEGER   NOT NULL,
    start                       INTEGER   NOT NULL,  -- Of the first item (ns).
    end                         INTEGER   NOT NULL,  -- Of the last item (ns).
    items                       INTEGER   NOT NULL,
    firstCorrelation            INTEGER   NOT NULL,  -- The smallest and the largest in it.
    lastCorrelation             INTEGER   NOT NULL,
    data                        BLOB      NOT NULL
);

CREATE TABLE SIMSIGHT_CHARTS (
    device                      INTEGER   NOT NULL,
    series                      TEXT      NOT NULL,  -- See engine/trace/SCHEMA.md.
    width                       INTEGER   NOT NULL,  -- (ns) Of a cell.
    cells                       INTEGER   NOT NULL,
    most                        REAL      NOT NULL,  -- The largest value that any moment or cell has.
    data                        BLOB      NOT NULL   -- See engine/trace/SCHEMA.md.
);

-- Enumerations, whole, as exports of Nsight Systems 2026 have them.

CREATE TABLE ENUM_NSYS_EVENT_CLASS (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_NSYS_EVENT_CLASS (id, name, label) VALUES
    (0, 'TRACE_PROCESS_EVENT_CUDA_RUNTIME', 'CUDA runtime'),
    (1, 'TRACE_PROCESS_EVENT_CUDA_DRIVER', 'CUDA driver'),
    (2, 'TRACE_PROCESS_EVENT_GL', 'GL'),
    (3, 'TRACE_PROCESS_EVENT_TSP_OVERHEAD', 'TSP overhead'),
    (4, 'TRACE_PROCESS_EVENT_GL_DEBUG', 'GL debug'),
    (5, 'TRACE_PROCESS_EVENT_GL_WORKLOAD', 'GL workload'),
    (6, 'TRACE_PROCESS_EVENT_NVTX_START', 'NVTX start'),
    (7, 'TRACE_PROCESS_EVENT_NVTX_FINISH', 'NVTX finish'),
    (8, 'TRACE_PROCESS_EVENT_GL_START', 'GL start'),
    (9, 'TRACE_PROCESS_EVENT_GL_FINISH', 'GL finish'),
    (10, 'TRACE_PROCESS_EVENT_CUDA_START', 'CUDA start'),
    (11, 'TRACE_PROCESS_EVENT_CUDA_FINISH', 'CUDA finish'),
    (12, 'TRACE_PROCESS_EVENT_CUDA_INIT_ERROR', 'CUDA init error'),
    (13, 'TRACE_PROCESS_EVENT_CUDA_EGL_DRIVER', 'CUDA EGL driver'),
    (18, 'TRACE_PROCESS_EVENT_VSYNC', 'Vsync'),
    (26, 'TRACE_PROCESS_EVENT_CUDA_API', 'CUDA API'),
    (27, 'TRACE_PROCESS_EVENT_OS_RUNTIME', 'OSRT runtime'),
    (28, 'TRACE_PROCESS_EVENT_CUDNN', 'cuDNN'),
    (29, 'TRACE_PROCESS_EVENT_CUBLAS', 'cuBLAS'),
    (31, 'TRACE_PROCESS_EVENT_OS_RUNTIME_START', 'OSRT start'),
    (32, 'TRACE_PROCESS_EVENT_OS_RUNTIME_FINISH', 'OSRT finish'),
    (33, 'TRACE_PROCESS_EVENT_CUDNN_START', 'cuDNN start'),
    (34, 'TRACE_PROCESS_EVENT_CUDNN_FINISH', 'cuDNN finish'),
    (35, 'TRACE_PROCESS_EVENT_CUBLAS_START', 'cuBLAS start'),
    (36, 'TRACE_PROCESS_EVENT_CUBLAS_FINISH', 'cuBLAS finish'),
    (37, 'TRACE_PROCESS_EVENT_THREAD_BLOCK', 'Thread block'),
    (38, 'TRACE_PROCESS_EVENT_NVMEDIA', 'NVmedia'),
    (39, 'TRACE_PROCESS_EVENT_NVMEDIA_START', 'NVmedia start'),
    (40, 'TRACE_PROCESS_EVENT_NVMEDIA_FINISH', 'NVmedia finish'),
    (41, 'TRACE_PROCESS_EVENT_DX12_API', 'DX12 API'),
    (42, 'TRACE_PROCESS_EVENT_DX12_WORKLOAD', 'DX12 workload'),
    (43, 'TRACE_PROCESS_EVENT_DX12_START', 'DX12 start'),
    (44, 'TRACE_PROCESS_EVENT_DX12_FINISH', 'DX12 finish'),
    (45, 'TRACE_PROCESS_EVENT_OPENACC_START', 'OpenACC start'),
    (46, 'TRACE_PROCESS_EVENT_OPENACC_FINISH', 'OpenACC finish'),
    (47, 'TRACE_PROCESS_EVENT_OPENACC_INIT_ERROR', 'OpenACC init error'),
    (48, 'TRACE_PROCESS_EVENT_OPENACC', 'OpenACC'),
    (49, 'TRACE_PROCESS_EVENT_CPU_FPS', 'CPU FPS'),
    (50, 'TRACE_PROCESS_EVENT_GPU_FPS', 'GPU FPS'),
    (51, 'TRACE_PROCESS_EVENT_GL_MULTI_ERROR', 'GL multi-error'),
    (52, 'TRACE_PROCESS_EVENT_DX12_DISPLAY', 'DX12 display'),
    (53, 'TRACE_PROCESS_EVENT_VULKAN_API', 'Vulkan API'),
    (54, 'TRACE_PROCESS_EVENT_VULKAN_WORKLOAD', 'Vulkan workload'),
    (55, 'TRACE_PROCESS_EVENT_VULKAN_START', 'Vulkan start'),
    (56, 'TRACE_PROCESS_EVENT_VULKAN_FINISH', 'Vulkan finish'),
    (57, 'TRACE_PROCESS_EVENT_SYSTEM_EVENT', 'System event'),
    (58, 'TRACE_PROCESS_EVENT_GPU_MEMORY', 'GPU memory'),
    (59, 'TRACE_PROCESS_EVENT_DX12_CREATE_OBJECT', 'DX12 create object'),
    (60, 'TRACE_PROCESS_EVENT_VULKAN_CREATE_OBJECT', 'Vulkan create object'),
    (61, 'TRACE_PROCESS_EVENT_CUSTOM_ETW_TRACE', 'Custom ETW trace'),
    (62, 'TRACE_PROCESS_EVENT_SLI_DEPRECATED', 'SLI (Deprecated)'),
    (63, 'TRACE_PROCESS_EVENT_SLI_START_DEPRECATED', 'SLI start (Deprecated)'),
    (64, 'TRACE_PROCESS_EVENT_SLI_FINISH_DEPRECATED', 'SLI finish (Deprecated)'),
    (65, 'TRACE_PROCESS_EVENT_DX12_DEBUG_API', 'DX12 debug API'),
    (66, 'TRACE_PROCESS_EVENT_VULKAN_DEBUG_API', 'Vulkan debug API'),
    (67, 'TRACE_PROCESS_EVENT_CUDABACKTRACE', 'CUDA backtrace'),
    (68, 'TRACE_PROCESS_EVENT_CUDABACKTRACE_START', 'CUDA backtrace start'),
    (69, 'TRACE_PROCESS_EVENT_CUDABACKTRACE_FINISH', 'CUDA backtrace finish'),
    (70, 'TRACE_PROCESS_EVENT_WDDM', 'WDDM'),
    (71, 'TRACE_PROCESS_EVENT_DX11_API', 'DX11 API'),
    (72, 'TRACE_PROCESS_EVENT_DX11_START', 'DX11 start'),
    (73, 'TRACE_PROCESS_EVENT_DX11_FINISH', 'DX11 finish'),
    (74, 'TRACE_PROCESS_EVENT_DX11_CREATE_OBJECT', 'DX11 create object'),
    (75, 'TRACE_PROCESS_EVENT_DX11_DEBUG_API', 'DX11 debug API'),
    (76, 'TRACE_PROCESS_EVENT_DXCOMMON_API', 'DX common API'),
    (77, 'TRACE_PROCESS_EVENT_CUDA_GRAPH_NODE_CREATION', 'CUDA graph node creation'),
    (78, 'TRACE_PROCESS_EVENT_OPENMP', 'OpenMP'),
    (79, 'TRACE_PROCESS_EVENT_OPENMP_START', 'OpenMP start'),
    (80, 'TRACE_PROCESS_EVENT_OPENMP_FINISH', 'OpenMP finish'),
    (81, 'TRACE_PROCESS_EVENT_NVAPI', 'NV API'),
    (82, 'TRACE_PROCESS_EVENT_ETWDXGKRNL', 'ETW DXG KRNL'),
    (83, 'TRACE_PROCESS_EVENT_NVENCODE', 'NVENCODE'),
    (84, 'TRACE_PROCESS_EVENT_NVENCODE_START', 'NVENCODE start'),
    (85, 'TRACE_PROCESS_EVENT_NVENCODE_FINISH', 'NVENCODE finish'),
    (86, 'TRACE_PROCESS_EVENT_NVDECODE', 'NVDECODE'),
    (87, 'TRACE_PROCESS_EVENT_NVDECODE_START', 'NVDECODE start'),
    (88, 'TRACE_PROCESS_EVENT_NVDECODE_FINISH', 'NVDECODE finish'),
    (89, 'TRACE_PROCESS_EVENT_NVJPEG', 'nvJPEG'),
    (90, 'TRACE_PROCESS_EVENT_NVJPEG_START', 'nvJPEG start'),
    (91, 'TRACE_PROCESS_EVENT_NVJPEG_FINISH', 'nvJPEG finish'),
    (92, 'TRACE_PROCESS_EVENT_DX12_BATCH_WORKLOAD', 'DX12 batch workload'),
    (93, 'TRACE_PROCESS_EVENT_VULKAN_BATCH_WORKLOAD', 'Vulkan batch workload'),
    (94, 'TRACE_PROCESS_EVENT_CUDA_GRAPHEXEC_CREATION', 'CUDA graph exec creation'),
    (95, 'TRACE_PROCESS_EVENT_CUDA_GRAPH_CREATION', 'CUDA graph creation'),
    (96, 'TRACE_PROCESS_EVENT_CUDA_GRAPH_CLONE', 'CUDA graph clone'),
    (98, 'TRACE_PROCESS_EVENT_OPENCL', 'OpenCL event'),
    (99, 'TRACE_PROCESS_EVENT_OPENCL_START', 'OpenCL start'),
    (100, 'TRACE_PROCESS_EVENT_OPENCL_FINISH', 'OpenCL finish'),
    (101, 'TRACE_PROCESS_EVENT_OPENCL_INIT_ERROR', 'OpenCL Init error'),
    (102, 'TRACE_PROCESS_EVENT_CUDA_JIT', 'CUDA JIT'),
    (103, 'TRACE_PROCESS_EVENT_CUDA_OVERHEAD', 'CUDA overhead'),
    (104, 'TRACE_PROCESS_EVENT_OPENXR', 'OpenXR event'),
    (105, 'TRACE_PROCESS_EVENT_OPENXR_START', 'OpenXR start'),
    (106, 'TRACE_PROCESS_EVENT_OPENXR_FINISH', 'OpenXR finish'),
    (107, 'TRACE_PROCESS_EVENT_SYSCALL', 'Syscall'),
    (108, 'TRACE_PROCESS_EVENT_TEGRA_INTERNAL', 'Tegra Internal API'),
    (109, 'TRACE_PROCESS_EVENT_TEGRA_INTERNAL_START', 'Tegra Internal API start'),
    (110, 'TRACE_PROCESS_EVENT_TEGRA_INTERNAL_FINISH', 'Tegra Internal API finish'),
    (111, 'TRACE_PROCESS_EVENT_CUDA_GRAPH_EXEC_NODE_SET_PARAMS', 'CUDA graph exec-node set params');

CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER (id, name, label) VALUES
    (0, 'CUDA_MEMCPY_KIND_UNKNOWN', 'Unknown'),
    (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'),
    (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'),
    (3, 'CUDA_MEMCPY_KIND_HTOA', 'Host-to-Array'),
    (4, 'CUDA_MEMCPY_KIND_ATOH', 'Array-to-Host'),
    (5, 'CUDA_MEMCPY_KIND_ATOA', 'Array-to-Array'),
    (6, 'CUDA_MEMCPY_KIND_ATOD', 'Array-to-Device'),
    (7, 'CUDA_MEMCPY_KIND_DTOA', 'Device-to-Array'),
    (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'),
    (9, 'CUDA_MEMCPY_KIND_HTOH', 'Host-to-Host'),
    (10, 'CUDA_MEMCPY_KIND_PTOP', 'Peer-to-Peer'),
    (11, 'CUDA_MEMCPY_KIND_UVM_HTOD', 'Unified Host-to-Device'),
    (12, 'CUDA_MEMCPY_KIND_UVM_DTOH', 'Unified Device-to-Host'),
    (13, 'CUDA_MEMCPY_KIND_UVM_DTOD', 'Unified Device-to-Device');

CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEM_KIND (id, name, label) VALUES
    (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'),
    (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'),
    (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'),
    (3, 'CUDA_MEMOPR_MEMORY_KIND_ARRAY', 'Array'),
    (4, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED', 'Managed'),
    (5, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC', 'Device Static'),
    (6, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC', 'Managed Static'),
    (7, 'CUDA_MEMOPR_MEMORY_KIND_UNKNOWN', 'Unknown');

CREATE TABLE ENUM_CUPTI_STREAM_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUPTI_STREAM_TYPE (id, name, label) VALUES
    (0, 'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN', 'Unknown stream type'),
    (1, 'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT', 'Default stream'),
    (2, 'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING', 'Non-blocking stream'),
    (3, 'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL', 'Null stream');

CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUPTI_SYNC_TYPE (id, name, label) VALUES
    (0, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN', 'Unknown'),
    (1, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE', 'Event sync'),
    (2, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT', 'Stream wait sync'),
    (3, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE', 'Stream sync'),
    (4, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE', 'Context sync');

CREATE TABLE ENUM_CUDA_KERNEL_LAUNCH_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_KERNEL_LAUNCH_TYPE (id, name, label) VALUES
    (0, 'CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN', 'Unknown'),
    (1, 'CUDA_KERNEL_LAUNCH_TYPE_REGULAR', 'Regular'),
    (2, 'CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE', 'Coop Single Device'),
    (3, 'CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE', 'Coop Multi Device');

CREATE TABLE ENUM_CUDA_FUNC_CACHE_CONFIG (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_FUNC_CACHE_CONFIG (id, name, label) VALUES
    (0, 'CU_FUNC_CACHE_PREFER_NONE', 'None'),
    (1, 'CU_FUNC_CACHE_PREFER_SHARED', 'Shared'),
    (2, 'CU_FUNC_CACHE_PREFER_L1', 'L1'),
    (3, 'CU_FUNC_CACHE_PREFER_EQUAL', 'Equal');

CREATE TABLE ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG (id, name, label) VALUES
    (0, 'CUDA_SHARED_MEM_LIMIT_DEFAULT', 'Default'),
    (1, 'CUDA_SHARED_MEM_LIMIT_OPTIN', 'Opt in');

-- Its rows are those of engine/model/warp-states.ts.
CREATE TABLE ENUM_SIMSIGHT_WARP_STATE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);

CREATE TABLE ENUM_CUDA_UNIF_MEM_MIGRATION (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_UNIF_MEM_MIGRATION (id, name, label) VALUES
    (0, 'CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_UNKNOWN', 'Unknown'),
    (1, 'CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_USER', 'User prefetch'),
    (2, 'CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE', 'Page fault'),
    (3, 'CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH', 'Speculative prefecth'),
    (4, 'CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION', 'Eviction'),
    (5, 'CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_ACCESS_COUNTERS', 'Access counters');

CREATE TABLE ENUM_CUDA_UNIF_MEM_ACCESS_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_UNIF_MEM_ACCESS_TYPE (id, name, label) VALUES
    (0, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_UNKNOWN', 'Unknown'),
    (1, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_READ', 'Read'),
    (2, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE', 'Write'),
    (3, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_ATOMIC', 'Atomic'),
    (4, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_PREFETCH', 'Prefetch');

CREATE TABLE ENUM_CUDA_DEV_MEM_EVENT_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_DEV_MEM_EVENT_OPER (id, name, label) VALUES
    (0, 'CUDA_DEV_MEM_EVENT_OPR_ALLOCATION', 'Allocation'),
    (1, 'CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION', 'Deallocation');

CREATE TABLE ENUM_CUDA_MEMPOOL_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMPOOL_OPER (id, name, label) VALUES
    (0, 'CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_INVALID', 'Invalid'),
    (1, 'CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED', 'Created'),
    (2, 'CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED', 'Destroyed'),
    (3, 'CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED', 'Trimmed');

CREATE TABLE ENUM_CUDA_MEMPOOL_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMPOOL_TYPE (id, name, label) VALUES
    (0, 'CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID', 'Invalid'),
    (1, 'CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL', 'Local'),
    (2, 'CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED', 'Imported');

CREATE TABLE ENUM_CUPTI_OVERHEAD_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUPTI_OVERHEAD_TYPE (id, name, label) VALUES
    (0, 'OVERHEAD_UNDEFINED', 'Undefined'),
    (1, 'OVERHEAD_UNKNOWN', 'Unknown'),
    (2, 'OVERHEAD_DRIVER_COMPILER', 'Driver JIT compiler (CUDA)'),
    (3, 'OVERHEAD_CUPTI_BUFFER_FLUSH', 'Buffer flush (Profiler)'),
    (4, 'OVERHEAD_CUPTI_INSTRUMENTATION', 'Instrumentation (Profiler)'),
    (5, 'OVERHEAD_CUPTI_RESOURCE', 'Resource creation/destruction (Profiler)'),
    (6, 'OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING', 'Runtime module loading (CUDA)'),
    (7, 'OVERHEAD_LAZY_FUNCTION_LOADING', 'Lazy function loading (CUDA)'),
    (8, 'OVERHEAD_COMMAND_BUFFER_FULL', 'Command buffer full (CUDA)');

CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_NSYS_EVENT_TYPE (id, name, label) VALUES
    (0, 'Unknown', 'Unknown'),
    (1, 'CpuCycles', 'CpuCycles'),
    (2, 'Instructions', 'Instructions'),
    (3, 'CacheReferences', 'CacheReferences'),
    (4, 'L1CacheDataWriteMisses', 'L1CacheDataWriteMisses'),
    (5, 'L1CacheDataReadMisses', 'L1CacheDataReadMisses'),
    (6, 'L1CacheInstructionMisses', 'L1CacheInstructionMisses'),
    (7, 'L2CacheDataWriteMisses', 'L2CacheDataWriteMisses'),
    (8, 'L2CacheDataReadMisses', 'L2CacheDataReadMisses'),
    (9, 'L2CacheInstructionMisses', 'L2CacheInstructionMisses'),
    (10, 'BranchInstructions', 'BranchInstructions'),
    (11, 'BranchMisses', 'BranchMisses'),
    (12, 'BusCycles', 'BusCycles'),
    (13, 'CpuClock', 'CpuClock'),
    (14, 'TaskClock', 'TaskClock'),
    (15, 'PageFault', 'PageFault'),
    (16, 'ContextSwitches', 'ContextSwitches'),
    (17, 'CpuMigrations', 'CpuMigrations'),
    (18, 'PageFaultsMin', 'PageFaultsMin'),
    (19, 'PageFaultsMax', 'PageFaultsMax'),
    (20, 'AlignmentFaults', 'AlignmentFaults'),
    (21, 'EmulationFaults', 'EmulationFaults'),
    (22, 'ThreadState', 'ThreadState'),
    (23, 'Frames', 'Frames'),
    (24, 'Annotations', 'Annotations'),
    (25, 'SchedSwitch', 'SchedSwitch'),
    (26, 'SchedWakeup', 'SchedWakeup'),
    (27, 'Command', 'Command'),
    (28, 'Mmap', 'Mmap'),
    (29, 'MemUsage', 'MemUsage'),
    (30, 'Emc', 'Emc'),
    (31, 'Composite', 'Composite'),
    (32, 'NvtxEvents', 'NvtxEvents'),
    (33, 'NvtxCategory', 'NvtxCategory'),
    (34, 'NvtxMark', 'NvtxMark'),
    (35, 'NvtxPushRange', 'NvtxPushRange'),
    (36, 'NvtxPopRange', 'NvtxPopRange'),
    (37, 'NvtxStartRange', 'NvtxStartRange'),
    (38, 'NvtxEndRange', 'NvtxEndRange'),
    (39, 'NvtxThread', 'NvtxThread'),
    (40, 'PowerRate', 'PowerRate'),
    (41, 'Sched', 'Sched'),
    (42, 'CpuCyclesSelf', 'CpuCyclesSelf'),
    (43, 'CpuCyclesTotal', 'CpuCyclesTotal'),
    (44, 'CpuCyclesSelfPlus', 'CpuCyclesSelfPlus'),
    (45, 'Cuda', 'Cuda'),
    (46, 'CudaDevice', 'CudaDevice'),
    (47, 'TraceProcess', 'TraceProcess'),
    (48, 'TraceFunctions', 'TraceFunctions'),
    (49, 'Diagnostic', 'Diagnostic'),
    (50, 'GlWorkload', 'GlWorkload'),
    (51, 'BandwidthUsage', 'BandwidthUsage'),
    (52, 'KhrDebugMark', 'KhrDebugMark'),
    (53, 'KhrDebugPushRange', 'KhrDebugPushRange'),
    (54, 'KhrDebugPopRange', 'KhrDebugPopRange'),
    (55, 'KhrDebugGpuMark', 'KhrDebugGpuMark'),
    (56, 'KhrDebugGpuPushRange', 'KhrDebugGpuPushRange'),
    (57, 'KhrDebugGpuPopRange', 'KhrDebugGpuPopRange'),
    (58, 'GpuCtxsw', 'GpuCtxsw'),
    (59, 'NvtxPushPopRange', 'NvtxPushPopRange'),
    (60, 'NvtxStartEndRange', 'NvtxStartEndRange'),
    (61, 'ProfTime', 'ProfTime'),
    (62, 'KhrDebugPushPopRange', 'KhrDebugPushPopRange'),
    (63, 'KhrDebugGpuPushPopRange', 'KhrDebugGpuPushPopRange'),
    (64, 'NvtxtCategory', 'NvtxtCategory'),
    (65, 'NvtxtMark', 'NvtxtMark'),
    (66, 'NvtxtPushRange', 'NvtxtPushRange'),
    (67, 'NvtxtPopRange', 'NvtxtPopRange'),
    (68, 'NvtxtStartRange', 'NvtxtStartRange'),
    (69, 'NvtxtEndRange', 'NvtxtEndRange'),
    (70, 'NvtxtPushPopRange', 'NvtxtPushPopRange'),
    (71, 'NvtxtStartEndRange', 'NvtxtStartEndRange'),
    (72, 'NvtxtMetaThread', 'NvtxtMetaThread'),
    (73, 'NvtxtMetaProcess', 'NvtxtMetaProcess'),
    (74, 'NvtxtMetaFileDisplay', 'NvtxtMetaFileDisplay'),
    (75, 'NvtxDomainCreate', 'NvtxDomainCreate'),
    (76, 'NvtxDomainDestroy', 'NvtxDomainDestroy'),
    (77, 'NvnGpuCmdBuf', 'NvnGpuCmdBuf'),
    (78, 'TraceVSync', 'TraceVSync'),
    (79, 'CudaDeviceKernel', 'CudaDeviceKernel'),
    (80, 'CudaDeviceMemory', 'CudaDeviceMemory'),
    (81, 'Pmu', 'Pmu'),
    (82, 'NvnGpuDraw', 'NvnGpuDraw'),
    (83, 'NvnGpuCompute', 'NvnGpuCompute'),
    (84, 'NvnGpuDebug', 'NvnGpuDebug'),
    (85, 'OS runtime libraries', 'OS runtime libraries'),
    (86, 'CuDNN', 'CuDNN'),
    (87, 'CuBLAS', 'CuBLAS'),
    (88, 'NvMedia', 'NvMedia'),
    (89, 'OpenACC', 'OpenACC'),
    (90, 'Correlation', 'Correlation'),
    (91, 'DX12', 'DX12'),
    (92, 'DX12Workload', 'DX12Workload'),
    (93, 'PmuRawEvent', 'PmuRawEvent'),
    (94, 'GraphicsFrame', 'GraphicsFrame'),
    (95, 'Vulkan', 'Vulkan'),
    (96, 'VulkanWorkload', 'VulkanWorkload'),
    (97, 'NvtxNameCudaDevice', 'NvtxNameCudaDevice'),
    (98, 'NvtxNameCudaContext', 'NvtxNameCudaContext'),
    (99, 'NvtxNameCudaStream', 'NvtxNameCudaStream'),
    (100, 'SystemEvent', 'SystemEvent'),
    (101, 'GpuMemoryEvent', 'GpuMemoryEvent'),
    (102, 'DX12CreateObject', 'DX12CreateObject'),
    (103, 'VulkanCreateObject', 'VulkanCreateObject'),
    (104, 'UnitTraceEvent', 'UnitTraceEvent'),
    (105, 'CustomETWEvent', 'CustomETWEvent'),
    (106, 'CudaSyncEvent', 'CudaSyncEvent'),
    (107, 'SLIEvent (DEPRECATED)', 'SLIEvent (DEPRECATED)'),
    (108, 'CudaBacktrace', 'CudaBacktrace'),
    (109, 'WddmEvent', 'WddmEvent'),
    (110, 'DX11', 'DX11'),
    (111, 'DX11CreateObject', 'DX11CreateObject'),
    (112, 'DXGI', 'DXGI'),
    (113, 'CudaGraphNodeCreation', 'CudaGraphNodeCreation'),
    (114, 'OpenMP', 'OpenMP'),
    (115, 'UncorePmuEvent', 'UncorePmuEvent'),
    (116, 'UncorePmuCarmel', 'UncorePmuCarmel'),
    (117, 'CudaDeviceMemoryUsage', 'CudaDeviceMemoryUsage'),
    (118, 'ETWDxgKrnlEvent', 'ETWDxgKrnlEvent'),
    (119, 'CudaUvmCpuPageFaultEvent', 'CudaUvmCpuPageFaultEvent'),
    (120, 'CudaUvmGpuPageFaultEvent', 'CudaUvmGpuPageFaultEvent'),
    (121, 'NICMetricsValuesEvent', 'NICMetricsValuesEvent'),
    (122, 'NICMetricsListEvent', 'NICMetricsListEvent'),
    (123, 'InterruptHandler', 'InterruptHandler'),
    (124, 'NvEncode', 'NvEncode'),
    (125, 'NVDecode', 'NVDecode'),
    (126, 'nvJPEG', 'nvJPEG'),
    (127, 'CudaEventRecord', 'CudaEventRecord'),
    (128, 'PerfEventCountEvent', 'PerfEventCountEvent'),
    (129, 'CudaDeviceMemoryPool', 'CudaDeviceMemoryPool'),
    (130, 'CudaDeviceGraph', 'CudaDeviceGraph'),
    (131, 'CudaGraphExecCreation', 'CudaGraphExecCreation'),
    (132, 'CudaGraphCreation', 'CudaGraphCreation'),
    (133, 'CudaGraphClone', 'CudaGraphClone'),
    (134, 'GpuMemoryTransferEvent', 'GpuMemoryTransferEvent'),
    (135, 'GlTrace', 'GlTrace'),
    (136, 'GpuVideoEngineWorkload', 'GpuVideoEngineWorkload'),
    (137, 'IBSwitchMetricsValuesEvent', 'IBSwitchMetricsValuesEvent'),
    (138, 'GenericEvent', 'GenericEvent'),
    (139, 'UncorePmuT23xScf', 'UncorePmuT23xScf'),
    (140, 'UncorePmuT23xDsu', 'UncorePmuT23xDsu'),
    (141, 'IBSwitchCongestionEvent', 'IBSwitchCongestionEvent'),
    (142, 'CudaDeviceMemcpy', 'CudaDeviceMemcpy'),
    (143, 'PerfMetricValueEvent', 'PerfMetricValueEvent'),
    (144, 'OpenXREvent', 'OpenXREvent'),
    (145, 'TegraInternalEvent', 'TegraInternalEvent'),
    (146, 'TraceStartFinish', 'TraceStartFinish'),
    (147, 'Syscall', 'Syscall'),
    (148, 'CudaConfidentialComputeKeyRotation', 'CudaConfidentialComputeKeyRotation'),
    (149, 'CudaGraphExecNodeSetParams', 'CudaGraphExecNodeSetParams'),
    (150, 'NvApi', 'NvApi'),
    (151, 'CudaHostFunc', 'CudaHostFunc'),
    (152, 'CudaApi', 'CudaApi'),
    (153, 'Overhead', 'Overhead'),
    (154, 'CudaOverhead', 'CudaOverhead');
