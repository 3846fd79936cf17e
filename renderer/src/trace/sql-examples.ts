/** Questions to begin with; those of engine/trace/SCHEMA.md, and what people ask of exports of Nsight Systems. */
export interface SqlExample {
  title: string;
  text: string;
}

export const sqlExamples: readonly SqlExample[] = [
  {
    title: 'Where GPU time goes',
    text: `SELECT s.value AS kernel, count(*) AS launches, sum(k.end - k.start) AS ns
FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName
GROUP BY k.shortName ORDER BY ns DESC;`,
  },
  {
    title: 'The longest kernels',
    text: `SELECT k.start, k.end, k.end - k.start AS ns, s.value AS name, k.rowid
FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName
ORDER BY ns DESC LIMIT 20;`,
  },
  {
    title: 'Delay of each kernel after its launch',
    text: `SELECT s.value AS kernel, k.start - r.end AS queued, k.start, k.end
FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
JOIN StringIds s ON s.id = k.shortName
WHERE k.start > r.end ORDER BY queued DESC LIMIT 10;`,
  },
  {
    title: 'DRAM traffic of every launch, in GB/s',
    text: `SELECT n.value AS kernel, k.start, k.end, sum(m.value) / (k.end - k.start) AS gigabytes_per_second
FROM SIMSIGHT_KERNEL_METRICS m
JOIN StringIds metric ON metric.id = m.nameId AND metric.value IN ('dram__bytes_read.sum', 'dram__bytes_write.sum')
JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.rowid = m.kernel
JOIN StringIds n ON n.id = k.shortName
GROUP BY k.rowid;`,
  },
  {
    title: 'Instructions with the most warp stalls',
    text: `SELECT o.value AS opcode, f.value AS file, i.line, e.label AS state, s.cycles
FROM SIMSIGHT_INSTRUCTION_STATES s
JOIN SIMSIGHT_INSTRUCTIONS i USING (profile, instruction)
JOIN StringIds o ON o.id = i.opcodeId LEFT JOIN StringIds f ON f.id = i.fileId
JOIN ENUM_SIMSIGHT_WARP_STATE e ON e.id = s.state
WHERE s.profile = 1 ORDER BY s.cycles DESC LIMIT 10;`,
  },
  {
    title: 'Copies to and from pageable memory',
    text: `SELECT e.label, count(*) AS copies, sum(c.bytes) / 1e6 AS megabytes
FROM CUPTI_ACTIVITY_KIND_MEMCPY c JOIN ENUM_CUDA_MEMCPY_OPER e ON e.id = c.copyKind
WHERE c.srcKind = 0 OR c.dstKind = 0 GROUP BY e.label;`,
  },
];

/** All tables and views with their columns, in the order of their names. */
export const schemaQuery = `SELECT t.name, t.type, c.name, c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c
WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, c.cid`;
