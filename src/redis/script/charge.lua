-- Decides a batch of rate-limited requests: each as a whole, all of them in one call.
--
-- A request is a list of charges, each on one counter (one key). It is admitted only if every
-- enforced charge has room; then all of them are charged, and otherwise none. A shadow charge never
-- decides: it is charged where its request is admitted and it has room itself. A peek changes
-- nothing. A refund gives back at most what its counter owes.
--
-- Why not INCR and then EXPIRE: a client, or a server, that dies between the two leaves a counter
-- that never expires and denies for ever; two callers that read before either writes both get in;
-- and a second limit that denies cannot take back what the first one counted. Here a key and its
-- time to live are one SET, Redis runs the whole script at one instant, and nothing of a request
-- is charged before all of it is decided. A key that certainly lives on for as long as it must is
-- written in place (SETRANGE), which leaves its time to live: half the work.
--
-- For Redis 6.2 and later, and Valkey. It writes no key that is not in KEYS, every write leaves a
-- time to live, and no error stops a well-formed call halfway: a value of another type, length or
-- range counts as no value at all, and is overwritten (of fifteen bytes all are an instant of a
-- bucket, and one that nobody can owe is cut by the denial that finds it). On a replica or out of
-- memory its first write fails, and with it the call (READONLY, OOM). All numbers are whole and exact
-- as doubles: below 2^53, or split. Instants are Unix time.
--
-- A bucket's or a fixed window's time to live is set to at most twice the time after which it is full,
-- a sliding window's and a log's to at most two windows; none to below a second. It is left as it is
-- while it is enough: a window's for as long as it counts in the same window, which is why a key has
-- one length of window for ever; a bucket's while `ends` of its value says so, and is not beyond twice
-- what it can owe, whatever numbers wrote it.
--
-- KEYS     one for each distinct counter: those of buckets, then of fixed windows, then of sliding
--          windows, then of logs; at most 1,024
-- ARGV[1]  packed without padding; integers are unsigned, numbers (d) IEEE doubles, all little
--          endian:
--            u8   version, 2
--            d d  now in seconds and microseconds; -1 and 0: Redis' own clock (TIME)
--            u16  how many KEYS are of buckets; u16 fixed windows; u16 sliding windows; u16 logs
--            u16  how many charges follow, request after request. Each:
--              u8   kind, below
--              u8   mode: 0 enforced, 1 shadow (after all enforced ones of its request), 2 refund
--              u8   place: 0 more charges of this request follow, 1 its last; 2 and 3: the same, of
--                   a peek; 4 the only charge of a request; 5 a refund
--              u16  which of KEYS, from 1
--              d d d d  a b c d
--          kind 0   cost 0 of a bucket or a window: always admitted, changes nothing
--          kind 1   bucket whose unit is a nanosecond: a cost, b burst, c the most that it can owe
--                   under any numbers in use (at least b; a denial cuts what is beyond to b), d the
--                   longest delay; each in ns and at most 2^52
--          kind 2   the same without that bound: a, b the cost and c, d the burst in seconds and
--                   nanoseconds; then d d the longest delay, d d the most it can owe (s, ns)
--          kind 3   bucket on a grid of its own: v(t) = floor(t * (c - d) / c) units have come back
--                   by t. a cost and b burst in units, c and d in lowest terms; then d d d d: the
--                   seconds after which v starts again at a whole second (1 where c divides a
--                   second), a time in ns after which certainly more than it can owe has come back,
--                   the longest delay in ns, the most it can owe in units. c * d and that time * d
--                   are below 2^52.
--          kind 4   the same without that bound: a, b the cost and c, d the burst as units / 10^9
--                   and the rest; then d d kind 3's c (s, ns), d its d, d d the longest delay (s,
--                   ns), d d the most it can owe (as the burst)
--          kind 5   fixed window aligned to 1970: a cost, b limit, c window in us. Of a refund, here
--                   and below, b is 1 + the instant of the charge that it takes back (us): nothing
--                   is changed in another window than that one's, and of a log only that instant's
--                   entry; 0: whatever there is now
--          kind 6   fixed window that starts with its first request
--          kind 7   sliding window aligned to 1970: a cost, b limit, c + d the window in us
--          kind 8   sliding window that starts with its first request
--          kind 9   log: a cost, b limit, c window in us
--          A cost above the limit is sent as anything above it (windows: 2^54; kind 1: 2^52;
--          kinds 2 and 4 up to 2^64-1).
-- Reply    one bulk string, packed likewise:
--            u64  now, us
--            u48  for every 48 charges: bit i (lowest first) is set where charge i had room, for a
--                 refund where something changed; at least one
--            then for every key of a bucket or window what was found before this call, zeroes where
--            there was nothing (equal to full):
--              bucket 15 bytes: u40 s, u32 ns: when all that was taken has come back; u48 `ends`, ms:
--                when its key expires
--              fixed window 14: u56 ordinal, or start in us; u56 count
--              sliding window 21: u56 ordinal, or start in us; u56 previous and u56 current count
--            then for every charge of a log that is no refund, in order: u64 used and u64 newest
--            instant (us) as its request found them, and u64 1 + the instant of the entry with
--            whose leaving the same cost fits again after this request (0: at once, or never)
-- A log is a ring: 'WLG1', u32 places, u32 first, u32 entries, u64 units that have left, u64 newest
-- instant, u64 its total; then places of u64 instant, u64 running total.

local argv, keys = ARGV[1], KEYS
local call, read, pack = redis.call, struct.unpack, struct.pack
local floor, ceil, frexp = math.floor, math.ceil, math.frexp

local version, now_s, now_us, buckets, fixed, sliding, logs, charges, pos = read('<BddHHHHH', argv)
if version ~= 2 then return redis.error_reply('ERR weir: unknown version of the call') end
if now_s < 0 then
  local time = call('TIME')
  now_s, now_us = tonumber(time[1]), tonumber(time[2])
end
local now_n = now_us * 1000
local now = now_s * 1000000 + now_us
local now_ms = floor(now / 1000)

-- Every counter as it was before this call; what is malformed is as good as nothing.
local strings = buckets + fixed + sliding
local state = strings > 0 and call('MGET', unpack(keys, 1, strings)) or {}
local most = 9007199254740992
for i = 1, buckets do
  local v = state[i]
  if not v or #v ~= 15 then state[i] = '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' end
end
if strings > buckets then
  local byte = string.byte
  for i = buckets + 1, buckets + fixed do
    local v = state[i]
    local ok = v and #v == 14
    if ok and byte(v, 14) >= 32 then
      local _, count = read('<I7I7', v)
      ok = count <= most
    end
    if not ok then state[i] = ('\0'):rep(14) end
  end
  for i = buckets + fixed + 1, strings do
    local v = state[i]
    local ok = v and #v == 21
    if ok and (byte(v, 14) >= 32 or byte(v, 21) >= 32) then
      local _, previous, current = read('<I7I7I7', v)
      ok = previous <= most and current <= most
    end
    if not ok then state[i] = ('\0'):rep(21) end
  end
end
local found = table.concat(state)

-- Whole numbers of any size, for the few that need them: limbs of 24 bits, lowest first.
local function make_exact()
  local base = 16777216
  local function trim(r)
    local n = #r
    while n > 0 and r[n] == 0 do r[n], n = nil, n - 1 end
    return r
  end
  local function big(x)
    local r, n = {}, 0
    while x > 0 do
      local up = floor(x / base)
      n = n + 1
      r[n], x = x - up * base, up
    end
    return r
  end
  local function value(a)
    local x = 0
    for i = #a, 1, -1 do x = x * base + a[i] end
    return x
  end
  local function less(a, b)
    if #a ~= #b then return #a < #b end
    for i = #a, 1, -1 do
      if a[i] ~= b[i] then return a[i] < b[i] end
    end
    return false
  end
  local function add(a, b)
    local r, carry = {}, 0
    for i = 1, math.max(#a, #b) do
      local sum = (a[i] or 0) + (b[i] or 0) + carry
      carry = sum >= base and 1 or 0
      r[i] = sum - carry * base
    end
    if carry > 0 then r[#r + 1] = carry end
    return r
  end
  local function sub(a, b)  -- a >= b
    local r, borrow = {}, 0
    for i = 1, #a do
      local rest = a[i] - (b[i] or 0) - borrow
      borrow = rest < 0 and 1 or 0
      r[i] = rest + borrow * base
    end
    return trim(r)
  end
  local function mul(a, b)
    local r = {}
    for i = 1, #a + #b do r[i] = 0 end
    for i = 1, #a do
      local carry = 0
      for j = 1, #b do
        local sum = r[i + j - 1] + a[i] * b[j] + carry
        carry = floor(sum / base)
        r[i + j - 1] = sum - carry * base
      end
      r[i + #b] = carry
    end
    return trim(r)
  end
  -- Quotient and rest. Each step takes off a multiple that is certainly not too large, and all but
  -- 2^-40 of what is there.
  local function divide(a, b)
    local q = {}
    while not less(a, b) do
      local e = floor(value(a) / value(b) * (1 - 2 ^ -40))
      local step = big(e < 1 and 1 or e)
      a, q = sub(a, mul(step, b)), add(q, step)
    end
    return q, a
  end
  local function divide_up(a, b)
    local q, rest = divide(a, b)
    return #rest > 0 and add(q, { 1 }) or q
  end
  local function pair(s, n) return add(mul(big(s), big(1e9)), big(n)) end

  local exact = {}
  -- Kind 4, as kind 3 below: the seconds and nanoseconds after which all has come back (nil: the
  -- state stays as it is), and whether that is because a state was cut.
  function exact.bucket(s, n, refund, cost, burst, c, d, allowed, most)
    local now_ns = pair(now_s, now_n)
    local m = sub(c, d)
    local _, rest = divide(mul(now_ns, d), c)
    if #rest > 0 then rest = sub(c, rest) end
    local function after(units)
      local lag = mul(units, d)
      if #units == 0 or not less(rest, lag) then return units end
      return add(units, divide_up(sub(lag, rest), m))
    end
    local used, tat = {}, pair(s, n)
    if less(now_ns, tat) then
      used = sub(tat, now_ns)
      local lag = mul(used, d)
      if less(rest, lag) then used = sub(used, divide_up(sub(lag, rest), c)) end
    end
    local cut, owed = less(most, used), #used > 0
    if cut then used = burst end
    local charged
    if refund then
      if owed then charged = less(used, cost) and {} or sub(used, cost) end
    elseif not less(burst, add(used, cost)) and not less(allowed, after(used)) then
      charged = add(used, cost)
    end
    if not charged and (not cut or less(burst, cost)) then return nil end
    local q, r = divide(after(charged or used), big(1e9))
    return value(q), value(r), not charged
  end
  function exact.window_has_room(previous, elapsed, room, window, window_low)
    local whole = big(window)
    if window_low > 0 then whole = add(whole, big(window_low)) end
    if window_low < 0 then whole = sub(whole, big(-window_low)) end
    return not less(mul(big(room + 1), whole), mul(big(previous), sub(whole, big(elapsed))))
  end
  exact.pair, exact.big = pair, big
  return exact
end
local exact

-- The charges of logs in the request at hand, and what is said of all.
local log_charges, log_reports, log_n, log_reported = {}, {}, 0, 0
local open_log, log_used, end_logs, refund_log
if logs > 0 then
  local open_logs = {}
  local function log_entry(log, i)
    if i == log.size - 1 then return log.at, log.total end
    local at = 40 + (log.first + i) % log.places * 16
    local v = call('GETRANGE', log.key, at, at + 15)
    if #v ~= 16 then return 0, log.gone end
    return read('<I8I8', v)
  end
  -- A log, its expired entries forgotten; those of the future (the clock was set back) are one of
  -- now, which the next charge or denial writes.
  function open_log(index, window)
    local log = open_logs[index]
    if log then return log end
    log = { key = keys[index], size = 0, gone = 0, at = 0, total = 0, sum = 0, add = 0 }
    open_logs[index] = log
    local v = redis.pcall('GETRANGE', log.key, 0, 39)
    -- Of another type: no value. Any other error is the call's: a log that could not be read is not
    -- an empty one.
    if type(v) == 'table' and v.err and not v.err:find('WRONGTYPE', 1, true) then error(v.err) end
    if type(v) ~= 'string' or #v ~= 40 or v:sub(1, 4) ~= 'WLG1' then return log end
    local places, first, size, gone, at, total = read('<I4I4I4I8I8I8', v, 5)
    if first >= places or size > places or total <= gone or total > most or at > most then
      return log
    end
    if size == 0 or now - at >= window then return log end
    -- Its newest entry is where the head says, and as far as the ring goes there are bytes.
    local newest = 40 + (first + size - 1) % places * 16
    local ring_end = 40 + places * 16
    if call('GETRANGE', log.key, newest, newest + 15) ~= pack('<I8I8', at, total) or
       first + size > places and #call('GETRANGE', log.key, ring_end - 1, ring_end - 1) == 0 then
      return log
    end
    log.places, log.first, log.size = places, first, size
    log.gone, log.at, log.total = gone, at, total
    if at > now then
      local low, high = 0, size - 1
      while low < high do
        local middle = floor((low + high) / 2)
        if log_entry(log, middle) > now then high = middle else low = middle + 1 end
      end
      size = low + 1
      log.size, log.at, log.moved = size, now, true
    end
    if now - log_entry(log, 0) < window then return log end
    local low, high = 1, size - 1
    while low < high do
      local middle = floor((low + high) / 2)
      if now - log_entry(log, middle) >= window then low = middle + 1 else high = middle end
    end
    local _, left = log_entry(log, low - 1)
    log.first, log.size, log.gone = (first + low) % places, size - low, left
    return log
  end
  function log_used(log) return log.size > 0 and log.total - log.gone or 0 end
  -- The instant of the last of the oldest entries that together hold so many units.
  local function log_frees(log, units)
    if units > log_used(log) then return now end
    local low, high = 0, log.size - 1
    while low < high do
      local middle = floor((low + high) / 2)
      local _, total = log_entry(log, middle)
      if total - log.gone >= units then high = middle else low = middle + 1 end
    end
    return (log_entry(log, low))
  end
  local function log_head(log)
    return pack('<c4I4I4I4I8I8I8', 'WLG1', log.places, log.first, log.size, log.gone, log.at,
                log.total)
  end
  local function time_of_log(window)
    return math.max(ceil(window / 1000), 1000)
  end
  -- The newest entry, and the head.
  local function write_log(log, window)
    call('SETRANGE', log.key, 40 + (log.first + log.size - 1) % log.places * 16,
         pack('<I8I8', log.at, log.total))
    call('SETRANGE', log.key, 0, log_head(log))
    call('PEXPIRE', log.key, time_of_log(window))
    log.moved = false
  end
  -- Charges log.add, at this instant.
  local function append_to_log(log, window)
    local cost = log.add
    log.add = 0
    if log.size == 0 then
      log.places, log.first, log.size, log.gone, log.at, log.total = 4, 0, 1, 0, now, cost
      call('SET', log.key, log_head(log) .. pack('<I8I8', now, cost), 'PX', time_of_log(window))
      return
    end
    if log.at < now then
      if log.size == log.places then
        -- Twice the places: what had gone round to the front moves behind the rest.
        if log.first > 0 then
          local front = call('GETRANGE', log.key, 40, 39 + log.first * 16)
          call('SETRANGE', log.key, 40 + log.places * 16, front)
        end
        log.places = log.places * 2
      end
      log.size, log.at = log.size + 1, now
    end
    log.total = log.total + cost
    write_log(log, window)
  end
  -- What is said of the charges of logs of the request at hand; and they are charged.
  function end_logs(admitted, write)
    for i = 1, log_n do
      local c = log_charges[i]
      local log, cost = c.log, c.cost
      local used, asked = c.used, cost
      if not (admitted and write) then
        asked = c.before + cost
      else
        if c.ok then log.add = log.add + cost end
        used = used + log.add
      end
      if asked == 0 then asked = 1 end
      local leaves, needed = 0, used - (c.limit - asked)
      if asked <= c.limit and needed > 0 then leaves = log_frees(log, needed) + 1 end
      log_reported = log_reported + 1
      log_reports[log_reported] = pack('<I8I8I8', c.used, c.newest, leaves)
    end
    for i = 1, log_n do
      local log = log_charges[i].log
      log.sum = 0
      local window = log_charges[i].window
      if log.add > 0 then append_to_log(log, window) end
      if log.moved and write then write_log(log, window) end
      log_charges[i] = nil
    end
    log_n = 0
  end

  -- Of one instant's entry: those that came after it keep their own. Where very many have come,
  -- nothing is changed.
  local function refund_entry(log, cost, window, at)
    local low, high = 0, log.size
    while low < high do
      local middle = floor((low + high) / 2)
      if log_entry(log, middle) >= at then high = middle else low = middle + 1 end
    end
    if low == log.size or log.size - low > 1024 then return false end
    local earlier, before = 0, log.gone
    if low > 0 then earlier, before = log_entry(log, low - 1) end
    local _, total = log_entry(log, low)
    local taken = math.min(cost, total - before)
    if taken <= 0 then return false end
    if log.total - taken <= log.gone then
      log.size = 0
      call('DEL', log.key)
      return true
    end
    for i = low, log.size - 1 do
      local instant, sum = log_entry(log, i)
      call('SETRANGE', log.key, 40 + (log.first + i) % log.places * 16,
           pack('<I8I8', instant, sum - taken))
    end
    log.total = log.total - taken
    if low == log.size - 1 and log.total <= before then log.size, log.at = low, earlier end
    call('SETRANGE', log.key, 0, log_head(log))
    call('PEXPIRE', log.key, time_of_log(window))
    return true
  end

  function refund_log(log, cost, window, charged)
    if charged > 0 then return refund_entry(log, cost, window, charged - 1) end
    local left = math.min(cost, log_used(log))
    if left == 0 then return false end
    while left > 0 and log.size > 0 do
      local before = log.gone
      local at = 0
      if log.size > 1 then at, before = log_entry(log, log.size - 2) end
      local taken = math.max(math.min(left, log.total - before), 0)
      log.total, left = log.total - taken, left - taken
      if log.total <= before then log.size, log.at = log.size - 1, at end
    end
    if log.size == 0 then
      call('DEL', log.key)
      return true
    end
    write_log(log, window)
    return true
  end
end

-- The time to live of a bucket or fixed window that is full after so many seconds: twice that,
-- rounded down to a power of the square root of two, as text and in ms. To write a number out costs
-- Redis as much as a third of a SET, so few different ones are.
local texts = {}
local function time_to_live(seconds)
  local part, up = frexp(seconds + seconds)
  local ms = floor((part < 0.70710678 and 500 or 707.10678) * 2 ^ up)
  if ms < 1000 then ms = 1000 end
  local text = texts[ms]
  if not text then
    text = ('%.0f'):format(ms)
    texts[ms] = text
  end
  return text, ms
end

-- Whether a bucket's key, which goes at `ends`, has a right time to live: longer than what is owed,
-- and at most twice what can be.
local function lives_on(ends, owed_ms, most_ms)
  local left = ends - now_ms
  return owed_ms < left - 1 and (left <= 2 * most_ms or left <= 1000)
end

local bits, bit, words = 0, 1, ''
local admitted = true  -- the request, as far as its charges go
-- What this request changes if it is admitted: keys, new times to live where any of theirs are too
-- short, and what to go back to if it is not.
local pending, pending_key, pending_old = 0, {}, {}
local short, pending_ttl = false, {}

for _ = 1, charges do
  local kind, mode, place, key, a, b, c, d, after_it = read('<BBBHdddd', argv, pos)
  pos = after_it
  -- What the charge makes of its counter: ok and a value (none and a time to live of 0: it goes), or
  -- a value alone where a state lay beyond what the numbers can owe and is brought back within them.
  -- The time to live in ms; false where the key's own is still right.
  local ok, value, ttl
  local v = state[key]

  if kind == 1 then
    local s, n, ends = read('<I5I4I6', v)
    local owed = (s - now_s) * 1e9 + (n - now_n)
    if owed < 0 then owed = 0 end
    local after
    if mode == 2 then
      if owed > 0 then
        if owed > c then owed = b end
        ok, after = true, owed > a and owed - a or 0
        if after == 0 then ttl = 0 end
      end
    elseif owed + a <= b and owed <= d then
      ok, after = true, owed + a
    elseif owed > c and a <= b then
      after = b
    end
    if after and after > 0 then
      local left = (ends - now_ms) * 1e6
      if after < left - 1e6 and (left <= c + c or left <= 1e9) then
        ttl = false
      else
        ttl, ends = time_to_live(after / 1e9)
        ends = ends + now_ms
      end
      s = now_n + after
      n = s % 1e9
      value = pack('<I5I4I6', now_s + (s - n) / 1e9, n, ends)
    end
  elseif kind == 2 then
    local allowed_s, allowed_n, most_s, most_n
    allowed_s, allowed_n, most_s, most_n, pos = read('<dddd', argv, pos)
    local s, n, ends = read('<I5I4I6', v)
    local owed = (s - now_s) * 1e9 + (n - now_n) > 0
    if not owed then s, n = now_s, now_n end
    local over = (s - now_s - most_s) * 1e9 + (n - now_n - most_n) > 0
    local change = false
    if mode == 2 then
      if owed then
        if over then s, n = now_s + c, now_n + d end
        s, n, ok, change = s - a, n - b, true, true
      end
    elseif (s - now_s + a - c) * 1e9 + (n - now_n + b - d) <= 0 and
           (s - now_s - allowed_s) * 1e9 + (n - now_n - allowed_n) <= 0 then
      s, n, ok, change = s + a, n + b, true, true
    elseif over and (a - c) * 1e9 + (b - d) <= 0 then
      s, n, change = now_s + c, now_n + d, true
    end
    if change then
      if n >= 1e9 then s, n = s + 1, n - 1e9 elseif n < 0 then s, n = s - 1, n + 1e9 end
      if (s - now_s) * 1e9 + (n - now_n) <= 0 then
        ttl = 0
      else
        local owed_ms = (s - now_s) * 1000 + (n - now_n) / 1e6
        ttl = false
        if not lives_on(ends, owed_ms, most_s * 1000 + most_n / 1e6) then
          ttl, ends = time_to_live(owed_ms / 1000)
          ends = ends + now_ms
        end
        value = pack('<I5I4I6', s, n, ends)
      end
    end
  elseif kind == 3 or kind == 4 then
    local s, n, ends = read('<I5I4I6', v)
    local change, most_ms = false, 0
    if kind == 3 then
      -- rest is what is missing to the next unit now; U units have come back after
      -- U + ceil((U * d - rest) / (c - d)) ns, and within t ns t - ceil((t * d - rest) / c) units.
      local round, beyond, allowed, most
      round, beyond, allowed, most, pos = read('<dddd', argv, pos)
      local m = c - d
      local rest = (c - ((now_s % round) * 1e9 + now_n) % c * d % c) % c
      local used = (s - now_s) * 1e9 + (n - now_n)
      local cut = used > beyond
      if used <= 0 then
        used = 0
      elseif not cut then
        used = used - ceil((used * d - rest) / c)
        cut = used > most
      end
      if cut then used = b end
      local after = used == 0 and 0 or used + ceil((used * d - rest) / m)
      if mode == 2 then
        if used > 0 then used, ok, change = used > a and used - a or 0, true, true end
      elseif used + a <= b and after <= allowed then
        used, ok, change = used + a, true, true
      elseif cut and a <= b then
        change = true
      end
      if change then
        most_ms = most * c / m / 1e6
        after = used == 0 and 0 or used + ceil((used * d - rest) / m)
        s = floor(after / 1e9)
        n = after - s * 1e9
      end
    else
      exact = exact or make_exact()
      local c_s, c_n, lag, allowed_s, allowed_n, most_s, most_n
      c_s, c_n, lag, allowed_s, allowed_n, most_s, most_n, pos = read('<ddddddd', argv, pos)
      local pair = exact.pair
      local cut
      s, n, cut = exact.bucket(s, n, mode == 2, pair(a, b), pair(c, d), pair(c_s, c_n),
                               exact.big(lag), pair(allowed_s, allowed_n), pair(most_s, most_n))
      change = s ~= nil
      ok = change and not cut
    end
    if change then
      local owed_ms = s * 1000 + n / 1e6
      ttl = 0
      if owed_ms > 0 then
        ttl = false
        if not lives_on(ends, owed_ms, most_ms) then
          ttl, ends = time_to_live(owed_ms / 1000)
          ends = ends + now_ms
        end
        s, n = now_s + s, now_n + n
        if n >= 1e9 then s, n = s + 1, n - 1e9 end
        value = pack('<I5I4I6', s, n, ends)
      end
    end
  elseif kind == 5 or kind == 6 then
    local start, count = read('<I7I7', v)
    local elapsed, current, ahead
    if kind == 5 then
      current = floor(now / c)
      elapsed = now - current * c
      ahead = start > current
      if start < current then count = 0 end
    else
      ahead = start > now
      elapsed = now - start
      if ahead or count == 0 then elapsed = 0 end
      if elapsed >= c then elapsed, count = 0, 0 end
      current = now - elapsed
    end
    local change, lives = false, start == current and count > 0 and c >= 1e6
    if mode == 2 then
      local charged = kind == 5 and floor((b - 1) / c) or b - 1
      if count > 0 and (b == 0 or charged >= current) then
        count, ok, change = count > a and count - a or 0, true, true
      end
    elseif a <= b - count then
      ok, change, count = true, true, count + a
    elseif ahead and count > 0 and a <= b then
      change = true
    end
    if change then
      ttl = 0
      if count > 0 then
        ttl = not lives and time_to_live((c - elapsed) / 1e6)
        value = pack('<I7I7', current, count)
      end
    end
  elseif kind == 7 or kind == 8 then
    local start, previous, count = read('<I7I7I7', v)
    local elapsed, current, ahead
    if kind == 7 then
      current = floor(now / c)
      elapsed = now - current * c
      ahead = start > current
      if ahead then previous, count = 0, math.max(count, math.min(most, 2 * b, previous + count))
      elseif start == current - 1 then previous, count = count, 0
      elseif start < current then previous, count = 0, 0 end
    else
      ahead = start > now
      local since = ahead and 0 or now - start
      local behind = floor(since / c)
      if behind == 1 then previous, count = count, 0
      elseif behind > 1 then previous, count = 0, 0 end
      elapsed = (count > 0 or previous > 0) and since - behind * c or 0
      current = now - elapsed
    end
    local change, lives = false, start == current and count > 0 and c >= 1e6
    if mode == 2 then
      local charged = kind == 7 and floor((b - 1) / c) or b - 1
      if (count > 0 or previous > 0) and (b == 0 or charged >= current) then
        local taken = a < count and a or count
        count, a = count - taken, a - taken
        previous, ok, change = previous > a and previous - a or 0, true, true
      end
    else
      local room = b - count - a
      ok = room >= 0
      if ok and previous > 0 then
        local left, right = previous * (c - elapsed), (room + 1) * c
        if d == 0 and (left ~= right or left < most) then
          ok = left <= right
        else
          exact = exact or make_exact()
          ok = exact.window_has_room(previous, elapsed, room, c, d)
        end
      end
      if ok then change, count = true, count + a end
    end
    if mode ~= 2 and not ok and ahead and (count > 0 or previous > 0) and a <= b then
      change = true
    end
    if change then
      ttl = 0
      if count > 0 or previous > 0 then
        if lives then
          ttl = false
        else
          ttl = math.max(ceil((c - elapsed) / 1000 + (count > 0 and c / 1000 or 0)), 1000)
        end
        value = pack('<I7I7I7', current, previous, count)
      end
    end
  elseif kind == 9 then
    local log = open_log(key, c)
    if mode == 2 then
      ok = refund_log(log, a, c, b)
    else
      local total = log.sum + a
      local used = log_used(log)
      ok = total == 0 or total <= b - used
      log_n = log_n + 1
      log_charges[log_n] = { log = log, cost = a, limit = b, window = c, ok = ok, used = used,
                             newest = log.size > 0 and log.at or 0, before = log.sum }
      if ok then log.sum = total end
    end
  else
    ok = mode ~= 2
  end

  if ok then
    bits = bits + bit
  elseif mode == 0 then
    admitted = false
  end
  bit = bit + bit
  if bit == 281474976710656 then
    words, bits, bit = words .. pack('<I6', bits), 0, 1
  end

  if place >= 4 then
    if value then
      state[key] = value
      if ttl then
        call('SET', keys[key], value, 'PX', ttl)
      else
        call('SETRANGE', keys[key], '0', value)
      end
    elseif ttl == 0 then
      call('DEL', keys[key])
      state[key] = ('\0'):rep(#v)
    end
    if log_n > 0 then end_logs(ok, true) end
    admitted = true
  else
    if value then
      if ok then
        -- The charges that follow in this request see it.
        pending = pending + 1
        pending_key[pending] = key
        pending_old[pending] = v
        state[key] = value
        if ttl then
          short = true
          pending_ttl[pending] = ttl
        end
      elseif place < 2 then
        local first = true
        for i = 1, pending do
          if pending_key[i] == key then first = false end
        end
        if first then
          state[key] = value
          if ttl then
            call('SET', keys[key], value, 'PX', ttl)
          else
            call('SETRANGE', keys[key], '0', value)
          end
        end
      end
    end
    if place == 1 or place == 3 then
      if admitted and place == 1 then
        for i = 1, pending do
          local k = pending_key[i]
          local ttl = short and pending_ttl[i]
          if ttl then
            call('SET', keys[k], state[k], 'PX', ttl)
            pending_ttl[i] = nil
          else
            call('SETRANGE', keys[k], '0', state[k])
          end
        end
      else
        for i = pending, 1, -1 do
          state[pending_key[i]] = pending_old[i]
          pending_ttl[i] = nil
        end
      end
      if log_n > 0 then end_logs(admitted, place == 1) end
      pending, short, admitted = 0, false, true
    end
  end
end

if bit > 1 or words == '' then words = words .. pack('<I6', bits) end
return pack('<I8', now) .. words .. found .. table.concat(log_reports)
