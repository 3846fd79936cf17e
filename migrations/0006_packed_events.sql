-- Events in half the space: what differs from event to event in one table, what many have in common ("shape") in another; times count
-- from that of a frame of 1024 events. Events are numbered by rowid, from 1 without a gap. The tables of Nsight Systems are views of the three, with the columns they had, so that scripts for them work as before;
-- gridId, which counted launches, is the number of the event.
--
-- Below them, the rows of the timeline with their events packed for drawing: see engine/trace/SCHEMA.md.

-- Counters: launches that were taken to be alike have the same.
CREATE TABLE SIMSIGHT_METRIC_SETS (
    id                          INTEGER   NOT NULL,
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    value                       REAL      NOT NULL,
    PRIMARY KEY (id, nameId)
) WITHOUT ROWID;
CREATE TEMP TABLE metricsOf (kernel INTEGER PRIMARY KEY, metricSet INTEGER);
INSERT INTO metricsOf SELECT kernel, DENSE_RANK() OVER (ORDER BY text) FROM
    (SELECT kernel, group_concat(nameId || '=' || quote(value)) AS text FROM SIMSIGHT_KERNEL_METRICS GROUP BY kernel);
INSERT INTO SIMSIGHT_METRIC_SETS SELECT metricSet, nameId, value FROM SIMSIGHT_KERNEL_METRICS
    JOIN (SELECT min(kernel) AS first, metricSet FROM metricsOf GROUP BY metricSet) ON kernel = first;

ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO OLD_KERNEL;
CREATE TABLE SIMSIGHT_SHAPES_KERNEL (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    globalPid                   INTEGER,
    demangledName               INTEGER   NOT NULL,
    shortName                   INTEGER   NOT NULL,
    mangledName                 INTEGER,
    launchType                  INTEGER,
    cacheConfig                 INTEGER,
    registersPerThread          INTEGER   NOT NULL,
    gridX                       INTEGER   NOT NULL,
    gridY                       INTEGER   NOT NULL,
    gridZ                       INTEGER   NOT NULL,
    blockX                      INTEGER   NOT NULL,
    blockY                      INTEGER   NOT NULL,
    blockZ                      INTEGER   NOT NULL,
    staticSharedMemory          INTEGER   NOT NULL,
    dynamicSharedMemory         INTEGER   NOT NULL,
    localMemoryPerThread        INTEGER   NOT NULL,
    localMemoryTotal            INTEGER   NOT NULL,
    sharedMemoryExecuted        INTEGER,
    graphNodeId                 INTEGER,
    sharedMemoryLimitConfig     INTEGER,
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
    profile                     INTEGER             -- REFERENCES SIMSIGHT_PROFILES(id)
);
CREATE TABLE SIMSIGHT_EVENTS_KERNEL (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_KERNEL(id)
);
CREATE TEMP TABLE ranked AS SELECT id, iif(typeof(start) = 'text', -1, start) AS start, end - start AS length, correlationId, DENSE_RANK() OVER (ORDER BY
    deviceId, contextId, greenContextId, streamId, globalPid, demangledName, shortName, mangledName, launchType,
    cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,
    dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, sharedMemoryExecuted, graphNodeId,
    sharedMemoryLimitConfig, qmdBulkReleaseDone, qmdPreexitDone, qmdLastCtaDone, graphId, clusterX, clusterY, clusterZ,
    clusterSchedulingPolicy, maxPotentialClusterSize, maxActiveClusters, sharedMemoryRequestedPercentage, metricSet,
    profile
) AS shape,
    deviceId, contextId, greenContextId, streamId, globalPid, demangledName, shortName, mangledName, launchType,
    cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,
    dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, sharedMemoryExecuted, graphNodeId,
    sharedMemoryLimitConfig, qmdBulkReleaseDone, qmdPreexitDone, qmdLastCtaDone, graphId, clusterX, clusterY, clusterZ,
    clusterSchedulingPolicy, maxPotentialClusterSize, maxActiveClusters, sharedMemoryRequestedPercentage, metricSet,
    profile
FROM (SELECT *, rowid AS id,
    (SELECT metricSet FROM metricsOf WHERE kernel = OLD_KERNEL.rowid) AS metricSet,
    (SELECT profile FROM SIMSIGHT_KERNEL_PROFILES WHERE kernel = OLD_KERNEL.rowid) AS profile
FROM OLD_KERNEL);
INSERT INTO SIMSIGHT_SHAPES_KERNEL SELECT shape,
    deviceId, contextId, greenContextId, streamId, globalPid, demangledName, shortName, mangledName, launchType,
    cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,
    dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, sharedMemoryExecuted, graphNodeId,
    sharedMemoryLimitConfig, qmdBulkReleaseDone, qmdPreexitDone, qmdLastCtaDone, graphId, clusterX, clusterY, clusterZ,
    clusterSchedulingPolicy, maxPotentialClusterSize, maxActiveClusters, sharedMemoryRequestedPercentage, metricSet,
    profile
FROM ranked GROUP BY shape ORDER BY shape;
CREATE TABLE SIMSIGHT_FRAMES_KERNEL (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
INSERT INTO SIMSIGHT_FRAMES_KERNEL SELECT frame, start FROM
    (SELECT id >> 10 AS frame, min(id), start FROM ranked GROUP BY frame);
INSERT INTO SIMSIGHT_EVENTS_KERNEL (rowid, start, length, correlationId, shape)
SELECT r.id, r.start - f.start, length, correlationId, shape
FROM ranked r JOIN SIMSIGHT_FRAMES_KERNEL f ON f.id = r.id >> 10 ORDER BY r.id;
DROP TABLE ranked;
DROP TABLE OLD_KERNEL;
CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.demangledName, s.shortName, s.mangledName, s.launchType, s.cacheConfig,
    s.registersPerThread, s.gridX, s.gridY, s.gridZ, s.blockX, s.blockY, s.blockZ, s.staticSharedMemory,
    s.dynamicSharedMemory, s.localMemoryPerThread, s.localMemoryTotal, e.rowid AS gridId, s.sharedMemoryExecuted,
    s.graphNodeId, s.sharedMemoryLimitConfig, s.qmdBulkReleaseDone, s.qmdPreexitDone, s.qmdLastCtaDone, s.graphId,
    s.clusterX, s.clusterY, s.clusterZ, s.clusterSchedulingPolicy, s.maxPotentialClusterSize, s.maxActiveClusters,
    s.sharedMemoryRequestedPercentage, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_KERNEL e CROSS JOIN SIMSIGHT_FRAMES_KERNEL f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape;

ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY RENAME TO OLD_MEMCPY;
CREATE TABLE SIMSIGHT_SHAPES_MEMCPY (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    globalPid                   INTEGER,
    bytes                       INTEGER   NOT NULL,
    copyKind                    INTEGER   NOT NULL,
    deprecatedSrcId             INTEGER,
    srcKind                     INTEGER,
    dstKind                     INTEGER,
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
CREATE TEMP TABLE ranked AS SELECT id, iif(typeof(start) = 'text', -1, start) AS start, end - start AS length, correlationId, DENSE_RANK() OVER (ORDER BY
    deviceId, contextId, greenContextId, streamId, globalPid, bytes, copyKind, deprecatedSrcId, srcKind, dstKind,
    srcDeviceId, srcContextId, dstDeviceId, dstContextId, migrationCause, graphNodeId, virtualAddress, copyCount,
    engine
) AS shape,
    deviceId, contextId, greenContextId, streamId, globalPid, bytes, copyKind, deprecatedSrcId, srcKind, dstKind,
    srcDeviceId, srcContextId, dstDeviceId, dstContextId, migrationCause, graphNodeId, virtualAddress, copyCount,
    engine
FROM (SELECT *, rowid AS id,
    (SELECT engine FROM SIMSIGHT_COPY_ENGINES WHERE memcpy = OLD_MEMCPY.rowid) AS engine
FROM OLD_MEMCPY);
INSERT INTO SIMSIGHT_SHAPES_MEMCPY SELECT shape,
    deviceId, contextId, greenContextId, streamId, globalPid, bytes, copyKind, deprecatedSrcId, srcKind, dstKind,
    srcDeviceId, srcContextId, dstDeviceId, dstContextId, migrationCause, graphNodeId, virtualAddress, copyCount,
    engine
FROM ranked GROUP BY shape ORDER BY shape;
CREATE TABLE SIMSIGHT_FRAMES_MEMCPY (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
INSERT INTO SIMSIGHT_FRAMES_MEMCPY SELECT frame, start FROM
    (SELECT id >> 10 AS frame, min(id), start FROM ranked GROUP BY frame);
INSERT INTO SIMSIGHT_EVENTS_MEMCPY (rowid, start, length, correlationId, shape)
SELECT r.id, r.start - f.start, length, correlationId, shape
FROM ranked r JOIN SIMSIGHT_FRAMES_MEMCPY f ON f.id = r.id >> 10 ORDER BY r.id;
DROP TABLE ranked;
DROP TABLE OLD_MEMCPY;
CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.bytes, s.copyKind, s.deprecatedSrcId, s.srcKind, s.dstKind,
    s.srcDeviceId, s.srcContextId, s.dstDeviceId, s.dstContextId, s.migrationCause, s.graphNodeId, s.virtualAddress,
    s.copyCount, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_MEMCPY e CROSS JOIN SIMSIGHT_FRAMES_MEMCPY f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_MEMCPY s ON s.id = e.shape;

ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET RENAME TO OLD_MEMSET;
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
    memKind                     INTEGER
);
CREATE TABLE SIMSIGHT_EVENTS_MEMSET (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_MEMSET(id)
);
CREATE TEMP TABLE ranked AS SELECT rowid AS id, iif(typeof(start) = 'text', -1, start) AS start, end - start AS length, correlationId, DENSE_RANK() OVER (ORDER BY
    deviceId, contextId, greenContextId, streamId, globalPid, value, bytes, graphNodeId, memKind
) AS shape,
    deviceId, contextId, greenContextId, streamId, globalPid, value, bytes, graphNodeId, memKind
FROM OLD_MEMSET;
INSERT INTO SIMSIGHT_SHAPES_MEMSET SELECT shape,
    deviceId, contextId, greenContextId, streamId, globalPid, value, bytes, graphNodeId, memKind
FROM ranked GROUP BY shape ORDER BY shape;
CREATE TABLE SIMSIGHT_FRAMES_MEMSET (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
INSERT INTO SIMSIGHT_FRAMES_MEMSET SELECT frame, start FROM
    (SELECT id >> 10 AS frame, min(id), start FROM ranked GROUP BY frame);
INSERT INTO SIMSIGHT_EVENTS_MEMSET (rowid, start, length, correlationId, shape)
SELECT r.id, r.start - f.start, length, correlationId, shape
FROM ranked r JOIN SIMSIGHT_FRAMES_MEMSET f ON f.id = r.id >> 10 ORDER BY r.id;
DROP TABLE ranked;
DROP TABLE OLD_MEMSET;
CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.value, s.bytes, s.graphNodeId, s.memKind, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_MEMSET e CROSS JOIN SIMSIGHT_FRAMES_MEMSET f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_MEMSET s ON s.id = e.shape;

ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME TO OLD_RUNTIME;
CREATE TABLE SIMSIGHT_SHAPES_RUNTIME (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    eventClass                  INTEGER   NOT NULL,
    globalTid                   INTEGER,
    nameId                      INTEGER   NOT NULL,
    returnValue                 INTEGER   NOT NULL,
    callchainId                 INTEGER
);
CREATE TABLE SIMSIGHT_EVENTS_RUNTIME (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_RUNTIME(id)
);
CREATE TEMP TABLE ranked AS SELECT rowid AS id, iif(typeof(start) = 'text', -1, start) AS start, end - start AS length, correlationId, DENSE_RANK() OVER (ORDER BY
    eventClass, globalTid, nameId, returnValue, callchainId
) AS shape,
    eventClass, globalTid, nameId, returnValue, callchainId
FROM OLD_RUNTIME;
INSERT INTO SIMSIGHT_SHAPES_RUNTIME SELECT shape,
    eventClass, globalTid, nameId, returnValue, callchainId
FROM ranked GROUP BY shape ORDER BY shape;
CREATE TABLE SIMSIGHT_FRAMES_RUNTIME (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
INSERT INTO SIMSIGHT_FRAMES_RUNTIME SELECT frame, start FROM
    (SELECT id >> 10 AS frame, min(id), start FROM ranked GROUP BY frame);
INSERT INTO SIMSIGHT_EVENTS_RUNTIME (rowid, start, length, correlationId, shape)
SELECT r.id, r.start - f.start, length, correlationId, shape
FROM ranked r JOIN SIMSIGHT_FRAMES_RUNTIME f ON f.id = r.id >> 10 ORDER BY r.id;
DROP TABLE ranked;
DROP TABLE OLD_RUNTIME;
CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.eventClass, s.globalTid, e.correlationId,
    s.nameId, s.returnValue, s.callchainId, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_RUNTIME e CROSS JOIN SIMSIGHT_FRAMES_RUNTIME f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_RUNTIME s ON s.id = e.shape;

ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION RENAME TO OLD_SYNCHRONIZATION;
CREATE TABLE SIMSIGHT_SHAPES_SYNCHRONIZATION (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    globalPid                   INTEGER,
    deprecatedSyncType          INTEGER,
    syncType                    INTEGER   NOT NULL,
    eventId                     INTEGER   NOT NULL,
    eventSyncId                 INTEGER
);
CREATE TABLE SIMSIGHT_EVENTS_SYNCHRONIZATION (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    correlationId               INTEGER,
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_SYNCHRONIZATION(id)
);
CREATE TEMP TABLE ranked AS SELECT rowid AS id, iif(typeof(start) = 'text', -1, start) AS start, end - start AS length, correlationId, DENSE_RANK() OVER (ORDER BY
    deviceId, contextId, greenContextId, streamId, globalPid, deprecatedSyncType, syncType, eventId, eventSyncId
) AS shape,
    deviceId, contextId, greenContextId, streamId, globalPid, deprecatedSyncType, syncType, eventId, eventSyncId
FROM OLD_SYNCHRONIZATION;
INSERT INTO SIMSIGHT_SHAPES_SYNCHRONIZATION SELECT shape,
    deviceId, contextId, greenContextId, streamId, globalPid, deprecatedSyncType, syncType, eventId, eventSyncId
FROM ranked GROUP BY shape ORDER BY shape;
CREATE TABLE SIMSIGHT_FRAMES_SYNCHRONIZATION (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
INSERT INTO SIMSIGHT_FRAMES_SYNCHRONIZATION SELECT frame, start FROM
    (SELECT id >> 10 AS frame, min(id), start FROM ranked GROUP BY frame);
INSERT INTO SIMSIGHT_EVENTS_SYNCHRONIZATION (rowid, start, length, correlationId, shape)
SELECT r.id, r.start - f.start, length, correlationId, shape
FROM ranked r JOIN SIMSIGHT_FRAMES_SYNCHRONIZATION f ON f.id = r.id >> 10 ORDER BY r.id;
DROP TABLE ranked;
DROP TABLE OLD_SYNCHRONIZATION;
CREATE VIEW CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.deprecatedSyncType, s.syncType, s.eventId, s.eventSyncId,
    e.rowid AS rowid
FROM SIMSIGHT_EVENTS_SYNCHRONIZATION e CROSS JOIN SIMSIGHT_FRAMES_SYNCHRONIZATION f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_SYNCHRONIZATION s ON s.id = e.shape;

ALTER TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE RENAME TO OLD_GRAPH_TRACE;
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
CREATE TEMP TABLE ranked AS SELECT rowid AS id, iif(typeof(start) = 'text', -1, start) AS start, end - start AS length, correlationId, DENSE_RANK() OVER (ORDER BY
    deviceId, contextId, greenContextId, streamId, globalPid, graphId, graphExecId
) AS shape,
    deviceId, contextId, greenContextId, streamId, globalPid, graphId, graphExecId
FROM OLD_GRAPH_TRACE;
INSERT INTO SIMSIGHT_SHAPES_GRAPH_TRACE SELECT shape,
    deviceId, contextId, greenContextId, streamId, globalPid, graphId, graphExecId
FROM ranked GROUP BY shape ORDER BY shape;
CREATE TABLE SIMSIGHT_FRAMES_GRAPH_TRACE (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
INSERT INTO SIMSIGHT_FRAMES_GRAPH_TRACE SELECT frame, start FROM
    (SELECT id >> 10 AS frame, min(id), start FROM ranked GROUP BY frame);
INSERT INTO SIMSIGHT_EVENTS_GRAPH_TRACE (rowid, start, length, correlationId, shape)
SELECT r.id, r.start - f.start, length, correlationId, shape
FROM ranked r JOIN SIMSIGHT_FRAMES_GRAPH_TRACE f ON f.id = r.id >> 10 ORDER BY r.id;
DROP TABLE ranked;
DROP TABLE OLD_GRAPH_TRACE;
CREATE VIEW CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.deviceId, s.contextId, s.greenContextId,
    s.streamId, e.correlationId, s.globalPid, s.graphId, s.graphExecId, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_GRAPH_TRACE e CROSS JOIN SIMSIGHT_FRAMES_GRAPH_TRACE f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_GRAPH_TRACE s ON s.id = e.shape;

ALTER TABLE NVTX_EVENTS RENAME TO OLD_NVTX;
CREATE TABLE SIMSIGHT_SHAPES_NVTX (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    eventType                   INTEGER   NOT NULL,
    rangeId                     INTEGER,
    category                    INTEGER,
    color                       INTEGER,
    text                        TEXT,
    globalTid                   INTEGER,
    endGlobalTid                INTEGER,
    textId                      INTEGER,
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
CREATE TEMP TABLE ranked AS SELECT rowid AS id, iif(typeof(start) = 'text', -1, start) AS start, end - start AS length, DENSE_RANK() OVER (ORDER BY
    eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId, domainId, uint64Value, int64Value,
    doubleValue, uint32Value, int32Value, floatValue, jsonTextId, jsonText, binaryData
) AS shape,
    eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId, domainId, uint64Value, int64Value,
    doubleValue, uint32Value, int32Value, floatValue, jsonTextId, jsonText, binaryData
FROM OLD_NVTX;
INSERT INTO SIMSIGHT_SHAPES_NVTX SELECT shape,
    eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId, domainId, uint64Value, int64Value,
    doubleValue, uint32Value, int32Value, floatValue, jsonTextId, jsonText, binaryData
FROM ranked GROUP BY shape ORDER BY shape;
CREATE TABLE SIMSIGHT_FRAMES_NVTX (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
INSERT INTO SIMSIGHT_FRAMES_NVTX SELECT frame, start FROM
    (SELECT id >> 10 AS frame, min(id), start FROM ranked GROUP BY frame);
INSERT INTO SIMSIGHT_EVENTS_NVTX (rowid, start, length, shape)
SELECT r.id, r.start - f.start, length, shape
FROM ranked r JOIN SIMSIGHT_FRAMES_NVTX f ON f.id = r.id >> 10 ORDER BY r.id;
DROP TABLE ranked;
DROP TABLE OLD_NVTX;
CREATE VIEW NVTX_EVENTS AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.eventType, s.rangeId, s.category, s.color,
    s.text, s.globalTid, s.endGlobalTid, s.textId, s.domainId, s.uint64Value, s.int64Value, s.doubleValue,
    s.uint32Value, s.int32Value, s.floatValue, s.jsonTextId, s.jsonText, s.binaryData, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_NVTX e CROSS JOIN SIMSIGHT_FRAMES_NVTX f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_NVTX s ON s.id = e.shape;

DROP TABLE metricsOf;
DROP TABLE SIMSIGHT_KERNEL_METRICS;
DROP TABLE SIMSIGHT_KERNEL_PROFILES;
DROP TABLE SIMSIGHT_COPY_ENGINES;
CREATE VIEW SIMSIGHT_KERNEL_METRICS AS SELECT e.rowid AS kernel, m.nameId, m.value
FROM SIMSIGHT_EVENTS_KERNEL e CROSS JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape
CROSS JOIN SIMSIGHT_METRIC_SETS m ON m.id = s.metricSet;
CREATE VIEW SIMSIGHT_KERNEL_PROFILES AS SELECT e.rowid AS kernel, s.profile
FROM SIMSIGHT_EVENTS_KERNEL e CROSS JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape WHERE s.profile IS NOT NULL;
CREATE VIEW SIMSIGHT_COPY_ENGINES AS SELECT e.rowid AS memcpy, s.engine
FROM SIMSIGHT_EVENTS_MEMCPY e CROSS JOIN SIMSIGHT_SHAPES_MEMCPY s ON s.id = e.shape WHERE s.engine IS NOT NULL;

CREATE TABLE SIMSIGHT_TRACKS (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    key                         TEXT      NOT NULL,
    lanes                       INTEGER   NOT NULL,
    events                      INTEGER   NOT NULL,
    busy                        INTEGER   NOT NULL,  -- Time with at least one event (ns).
    end                         INTEGER   NOT NULL   -- Of the last event (ns).
);

-- What events look like: kind and flavour as numbers, the text on them, and their name in full.
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

-- Graphs, clones and executables, one row each, from the call that made it. The graph of a launch or of a node (graphId) is the
-- graphExecId of a row here, which names the graph that was instantiated.
CREATE TABLE CUDA_GRAPH_EVENTS (
    start                       INTEGER   NOT NULL,
    end                         INTEGER   NOT NULL,
    eventClass                  INTEGER   NOT NULL,  -- REFERENCES ENUM_NSYS_EVENT_CLASS(id)
    globalTid                   INTEGER,             -- Serialized GlobalId.
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    graphId                     INTEGER,
    originalGraphId             INTEGER,
    graphExecId                 INTEGER
);

INSERT INTO ENUM_NSYS_EVENT_CLASS (id, name, label) VALUES
    (94, 'TRACE_PROCESS_EVENT_CUDA_GRAPHEXEC_CREATION', 'CUDA graph exec creation'),
    (95, 'TRACE_PROCESS_EVENT_CUDA_GRAPH_CREATION', 'CUDA graph creation'),
    (96, 'TRACE_PROCESS_EVENT_CUDA_GRAPH_CLONE', 'CUDA graph clone');
