// The tables of a world's database. SQLite 3.35 and PostgreSQL 15 share all types and statements. Times
// are in seconds since 1970. Hashes and checksums are the bits of unsigned numbers. Checksums: room_rows.h. The names
// of tables and indexes begin with neither owned_ nor chronicle_, because the names of views do.
#ifndef SHOAL_SERVED_WORLD_SCHEMA_H
#define SHOAL_SERVED_WORLD_SCHEMA_H

#define WORLD_SCHEMA_VERSION 2
#define WORLD_APPLICATION 0x53485744 // application id in SQLite's header: "SHWD"

static const char WORLD_SCHEMA[] =
    // One row. `beat` changes while the owner is active; 0: the world has no owner.
    "CREATE TABLE world (version INTEGER NOT NULL, game TEXT NOT NULL, base BIGINT NOT NULL, owner BIGINT NOT NULL,"
    "  beat BIGINT NOT NULL, beat_at BIGINT NOT NULL);"
    "CREATE TABLE room (number BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, fence BIGINT NOT NULL,"
    "  serial BIGINT NOT NULL, last BIGINT NOT NULL, tick BIGINT NOT NULL, players INTEGER NOT NULL,"
    "  state INTEGER NOT NULL, seen BIGINT NOT NULL, reason TEXT NOT NULL);"
    // Each row is a block of the records from `first` to `last`.
    "CREATE TABLE journal (room BIGINT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, body BYTEA NOT NULL,"
    "  checksum BIGINT NOT NULL, PRIMARY KEY (room, first));"
    "CREATE TABLE snapshot (room BIGINT NOT NULL, number BIGINT NOT NULL, tick BIGINT NOT NULL, hash BIGINT NOT NULL,"
    "  engine TEXT NOT NULL, base BIGINT NOT NULL, code BIGINT NOT NULL, proof INTEGER NOT NULL, head BYTEA NOT NULL,"
    "  body BYTEA NOT NULL, checksum BIGINT NOT NULL, PRIMARY KEY (room, number));"
    "CREATE TABLE save (room BIGINT PRIMARY KEY, number BIGINT NOT NULL, tick BIGINT NOT NULL, engine TEXT NOT NULL,"
    "  base BIGINT NOT NULL, code BIGINT NOT NULL, body BYTEA NOT NULL, checksum BIGINT NOT NULL);"
    // Live code (code_rows.h): the folder of each release, the changes since then, and the newest code that a room has
    // refused.
    "CREATE TABLE release (base BIGINT PRIMARY KEY, folder TEXT NOT NULL, options TEXT NOT NULL);"
    "CREATE TABLE code (number BIGINT PRIMARY KEY, base BIGINT NOT NULL, former BIGINT NOT NULL, at BIGINT NOT NULL,"
    "  author TEXT NOT NULL, note TEXT NOT NULL, bundle BYTEA NOT NULL, checksum BIGINT NOT NULL);"
    "CREATE TABLE code_refusal (room BIGINT PRIMARY KEY, number BIGINT NOT NULL, reason TEXT NOT NULL);"
    // An account is in the room `room`, or in none (NULL), or an operator has taken it (0). `digest`: digest of the
    // user's secret. `wanted`: 1 if its player must leave the room, because the user joins a different room. `place`:
    // the room where the player belongs, or "". `origin`: the room from which the player has moved, or "". `reset`:
    // digest of a code that gives the account a new secret. accounts.h describes `session`.
    "CREATE TABLE account (id BIGINT PRIMARY KEY, digest BYTEA NOT NULL UNIQUE, name TEXT NOT NULL,"
    "  name_key TEXT NOT NULL UNIQUE, room BIGINT, session BIGINT NOT NULL, wanted INTEGER NOT NULL,"
    "  place TEXT NOT NULL, origin TEXT NOT NULL, created BIGINT NOT NULL, seen BIGINT NOT NULL, banned_until BIGINT "
    "NOT NULL,"
    "  muted_until BIGINT NOT NULL, reason TEXT NOT NULL, reset BYTEA);"
    "CREATE INDEX account_room ON account (room);"
    // Entities of accounts that are in no room: owned_rows.h. `account`: negative in rows that only keep parked values.
    // `code`: the code that has written the row, as code_rows_get_key returns it.
    "CREATE TABLE owned (item BIGINT PRIMARY KEY, account BIGINT NOT NULL, parent BIGINT NOT NULL, name TEXT NOT NULL,"
    "  assemblage TEXT NOT NULL, components TEXT NOT NULL, code BIGINT NOT NULL);"
    "CREATE INDEX index_owned_account ON owned (account);"
    "CREATE INDEX index_owned_code ON owned (code);"
    "CREATE TABLE item_view (name TEXT PRIMARY KEY);" // names of the views of `owned`: owned_views.h
    // Numbers of deleted accounts, which are never assigned again.
    "CREATE TABLE deleted_account (id BIGINT PRIMARY KEY);"
    // Digests of codes that allow the creation of an account.
    "CREATE TABLE invite (code BYTEA PRIMARY KEY, at BIGINT NOT NULL);"
    // Kept events. `ordinal` counts the rows of a tick. `data`: fields as a JSON object. `expires`: NULL if never.
    "CREATE TABLE chronicle (room BIGINT NOT NULL, fence BIGINT NOT NULL, tick BIGINT NOT NULL,"
    "  ordinal INTEGER NOT NULL, event TEXT NOT NULL, account BIGINT, at BIGINT NOT NULL, expires BIGINT,"
    "  data TEXT NOT NULL, PRIMARY KEY (room, fence, tick, ordinal));"
    "CREATE INDEX index_chronicle_event ON chronicle (event, at);"
    "CREATE INDEX index_chronicle_account ON chronicle (account, at);"
    "CREATE INDEX index_chronicle_expires ON chronicle (expires);"
    // Statements that have created the views of kept events.
    "CREATE TABLE kept_view (name TEXT PRIMARY KEY, statement TEXT NOT NULL);"
    // Commands of operators, for a room or for the owner of the world (NULL). `taken`: number of the start that
    // executes the command; 0: not taken. `ok`: 1 if it was executed.
    "CREATE TABLE command (id BIGINT PRIMARY KEY, room BIGINT, kind TEXT NOT NULL, data TEXT NOT NULL,"
    "  author TEXT NOT NULL, at BIGINT NOT NULL, taken BIGINT NOT NULL, done_at BIGINT, ok INTEGER NOT NULL,"
    "  result TEXT NOT NULL);"
    "CREATE INDEX command_waiting ON command (id) WHERE done_at IS NULL;";

#endif
