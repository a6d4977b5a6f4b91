-- The tables of the database. The text of this file stands for them: a database that another one made is built again.

-- Full text. A session has an id and a topic once, not once for each turn; docs.local is what the id of a turn or episode
-- adds to its session's, and the whole id of a record. words has each text as it is searched, and docs the text itself
-- where it is another. Terms are merged eight pieces at a time: fewer would have every put rewrite more, more would make
-- every search slower.
CREATE TABLE state (whole INTEGER NOT NULL, made TEXT NOT NULL);
INSERT INTO state VALUES (0, '');
CREATE TABLE origins (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, topic TEXT NOT NULL);
CREATE TABLE docs (
    n       INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    local   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    what    TEXT NOT NULL,
    event   TEXT NOT NULL,
    member  TEXT NOT NULL,
    name    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    status  TEXT NOT NULL,
    instead TEXT NOT NULL,
    rehearsed INTEGER NOT NULL,
    text    TEXT
);
CREATE UNIQUE INDEX docs_by_place ON docs (session, local);
CREATE UNIQUE INDEX docs_by_record ON docs (local) WHERE kind = 'record';
CREATE VIRTUAL TABLE words USING fts5 (text, about,
    tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M*'");
INSERT INTO words (words, rank) VALUES ('automerge', 8);
INSERT INTO words (words, rank) VALUES ('crisismerge', 128);
INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);

-- Sessions, calls and the ledger's entries on operations, and views for people. Times are RFC 3339 in UTC; money is in
-- millionths of a millionth of a US dollar, which adds up exactly.
CREATE TABLE sessions (
    session TEXT PRIMARY KEY, started TEXT, council TEXT NOT NULL, topic TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, events INTEGER NOT NULL, outcome TEXT, stamp TEXT NOT NULL, gist TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE calls (
    session TEXT NOT NULL, member TEXT NOT NULL, line INTEGER NOT NULL, ask TEXT NOT NULL, try INTEGER NOT NULL,
    at TEXT NOT NULL, result TEXT NOT NULL, model TEXT NOT NULL, reported TEXT NOT NULL, calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL, measured INTEGER NOT NULL,
    cost_pico_usd INTEGER, at_least_pico_usd INTEGER NOT NULL, price TEXT NOT NULL, latency_ms INTEGER NOT NULL,
    PRIMARY KEY (session, member, line)
) WITHOUT ROWID;
CREATE INDEX calls_by_time ON calls (at);
CREATE TABLE entries (
    n INTEGER PRIMARY KEY, at TEXT NOT NULL, type TEXT NOT NULL, action TEXT NOT NULL, session TEXT NOT NULL,
    what TEXT NOT NULL, why TEXT NOT NULL, by TEXT NOT NULL, due TEXT, of INTEGER, entry TEXT NOT NULL
);
CREATE INDEX entries_by_type ON entries (type, n);
CREATE INDEX entries_of ON entries (of) WHERE of IS NOT NULL;
CREATE TABLE ledger (n INTEGER NOT NULL, at TEXT NOT NULL);
INSERT INTO ledger VALUES (0, '');
CREATE VIEW runs AS SELECT b.n AS run, b.session, row_number() OVER (PARTITION BY b.session ORDER BY b.n) AS attempt,
    b.what AS command, b.by, b.at AS started, e.at AS ended, e.action AS status, e.why AS error
    FROM entries b LEFT JOIN entries e ON e.of = b.n AND e.type = 'run'
    WHERE b.type = 'run' AND b.action = 'begun';
CREATE VIEW retries AS SELECT session, action AS status, due, why AS cause, at, n FROM entries r
    WHERE type = 'retry' AND action <> 'dropped' AND n = (SELECT max(n) FROM entries l WHERE l.session = r.session
    AND (l.type = 'retry' OR l.type = 'run' AND l.action = 'closed'));
CREATE VIEW routines AS SELECT what AS name, action AS latest, session, due, why, at, n FROM entries r
    WHERE type = 'routine' AND action <> 'removed'
    AND n = (SELECT max(n) FROM entries l WHERE l.type = 'routine' AND l.what = r.what);
CREATE VIEW episodes AS SELECT o.id AS session, o.topic, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch')
    AS closed, coalesce(d.text, w.text) AS text
    FROM docs d JOIN words w ON w.rowid = d.n JOIN origins o ON o.n = d.session WHERE d.kind = 'episode';
CREATE VIEW turns AS SELECT o.id AS session, d.event, d.member, d.name,
    strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch') AS at, coalesce(d.text, w.text) AS text
    FROM docs d JOIN words w ON w.rowid = d.n JOIN origins o ON o.n = d.session WHERE d.kind = 'turn';
CREATE VIEW costs AS SELECT session, member, model, sum(calls) AS calls,
    sum(input_tokens + cached_tokens + cache_write_tokens + output_tokens + reasoning_tokens) AS tokens,
    sum(at_least_pico_usd) / 1e12 AS usd, min(measured) AS tokens_known, count(*) = count(cost_pico_usd) AS usd_known
    FROM calls GROUP BY session, member, model;
