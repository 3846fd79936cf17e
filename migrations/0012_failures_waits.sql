-- Format version 12: what failed, and what waited for the legacy default stream.

-- Work that came to nothing: kernels that did not come to their end, and what was refused before it was on a GPU.
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

-- Work of a stream waited for work of another one because of the legacy default stream (implicit synchronization).
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
