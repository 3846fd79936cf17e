-- Managed memory: page faults, under the names of Nsight Systems. Migrations are copies (CUPTI_ACTIVITY_KIND_MEMCPY) of the
-- kinds 11 to 13, with migrationCause and virtualAddress.
CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (
    start                       INTEGER   NOT NULL,
    end                         INTEGER   NOT NULL,
    globalPid                   INTEGER,
    deviceId                    INTEGER   NOT NULL,
    address                     INTEGER   NOT NULL,
    numberOfPageFaults          INTEGER   NOT NULL,
    faultAccessType             INTEGER   NOT NULL   -- REFERENCES ENUM_CUDA_UNIF_MEM_ACCESS_TYPE(id)
);

CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (
    start                       INTEGER   NOT NULL,
    globalPid                   INTEGER,
    address                     INTEGER   NOT NULL,
    originalFaultPc             INTEGER,
    CpuInstruction              INTEGER,
    module                      INTEGER,
    unresolvedFaultPc           INTEGER
);

-- How long the host thread waited for each.
CREATE TABLE SIMSIGHT_CPU_PAGE_FAULTS (
    fault                       INTEGER   NOT NULL   PRIMARY KEY,  -- rowid in CUDA_UM_CPU_PAGE_FAULT_EVENTS
    end                         INTEGER   NOT NULL,
    accessType                  INTEGER   NOT NULL   -- REFERENCES ENUM_CUDA_UNIF_MEM_ACCESS_TYPE(id)
);

CREATE TABLE ENUM_CUDA_UNIF_MEM_MIGRATION (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_UNIF_MEM_MIGRATION (id, name, label) VALUES
    (0, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_UNKNOWN', 'Unknown'),
    (1, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_USER', 'User'),
    (2, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE', 'Coherence'),
    (3, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH', 'Speculative prefetch'),
    (4, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION', 'Eviction'),
    (5, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_ACCESS_COUNTERS', 'Access counters');
CREATE TABLE ENUM_CUDA_UNIF_MEM_ACCESS_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_UNIF_MEM_ACCESS_TYPE (id, name, label) VALUES
    (0, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_UNKNOWN', 'Unknown'),
    (1, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_READ', 'Read'),
    (2, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE', 'Write'),
    (3, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_ATOMIC', 'Atomic'),
    (4, 'CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_PREFETCH', 'Prefetch');
