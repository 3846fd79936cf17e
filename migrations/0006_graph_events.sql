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
