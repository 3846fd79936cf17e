-- Format version 9: what programs allocate on GPUs, under the names of Nsight Systems; what streams wait for.
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

CREATE TABLE ENUM_CUDA_DEV_MEM_EVENT_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_DEV_MEM_EVENT_OPER (id, name, label) VALUES
    (0, 'CUDA_DEV_MEM_EVENT_OPR_ALLOCATION', 'Allocation'),
    (1, 'CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION', 'Deallocation');

-- By correlation ids: calls of cudaStreamWaitEvent and the first work behind each, and the work behind which the event was recorded.
CREATE TABLE SIMSIGHT_STREAM_DEPENDENCIES (
    correlationId               INTEGER   NOT NULL,
    waitsFor                    INTEGER   NOT NULL
);
