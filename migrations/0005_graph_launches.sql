-- Launches of graphs, one row each, from the start of the first node to the end of the last, as Nsight Systems has them with
-- --cuda-graph-trace=graph; the nodes are in the tables of kernels, copies and memsets beside it, with the same correlationId.
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (
    start                       INTEGER   NOT NULL,
    end                         INTEGER   NOT NULL,
    deviceId                    INTEGER   NOT NULL,
    contextId                   INTEGER   NOT NULL,
    greenContextId              INTEGER,
    streamId                    INTEGER   NOT NULL,
    correlationId               INTEGER,
    globalPid                   INTEGER,
    graphId                     INTEGER   NOT NULL,
    graphExecId                 INTEGER   NOT NULL
);
