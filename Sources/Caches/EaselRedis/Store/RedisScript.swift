/// A script that the server runs as one step.
///
/// The whole text is sent each time; the server compiles it once, and later finds it by its hash. A new master
/// therefore needs no preparation.
struct RedisScript: Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The command that runs the script with these keys and arguments.
  func command(keys: [String], _ arguments: [String], body: [UInt8]? = nil) -> RedisCommand {
    RedisCommand(["EVAL", text, "\(keys.count)"] + keys + arguments, body: body)
  }

  // `mark` reads a mark: epoch, generation, date, arrival, time of storing. `older` is `CacheRecord.isOlder`. A value
  // that is not a string counts as missing, and is replaced.
  private static let common = """
    local function get(key)
      local value = redis.pcall('GET', key)
      if type(value) == 'string' then return value end
    end
    local function mark(text)
      if not text or string.sub(text, 1, 2) ~= 'E1' then return end
      local date, arrival, stored = string.match(text, '^ (%-?%d+) (%-?%d+) (%-?%d+) [01]\\n', 35)
      if not date then return end
      return {epoch = string.sub(text, 3, 18), generation = string.sub(text, 19, 34), date = tonumber(date),
        arrival = tonumber(arrival), stored = tonumber(stored)}
    end
    local function olderResponse(one, other)
      if one.date >= 0 and other.date >= 0 and one.date ~= other.date then return one.date < other.date end
      return one.arrival < other.arrival
    end
    local function older(one, other)
      if one.arrival >= 0 and other.arrival >= 0 then return olderResponse(one, other) end
      return one.stored < other.stored
    end

    """ + epochs

  // The epoch is at least the time of day, so that entries never come back if the epoch is lost. `epoch` gives its
  // digits: those of the caller, or the present ones if all keys are on one server.
  private static let epochs = """
    local function epochNumber(key, mustRaise)
      local old = redis.pcall('GET', key)
      old = type(old) == 'string' and tonumber(old) or nil
      if old and not mustRaise then return old end
      local time = redis.call('TIME')
      local new = math.max((old or 0) + 1, time[1] * 1000 + math.floor(time[2] / 1000))
      redis.call('SET', key, string.format('%.0f', new))
      return new
    end
    local function epoch(digits, key)
      return key and string.format('%016x', epochNumber(key)) or digits
    end

    """

  /// Stores an entry.
  ///
  /// Keys: mark, entry, claim, epoch. Arguments: epoch, generation, the times of the new mark, the lives of mark and
  /// entry in milliseconds, the token of the caller's claim or nothing, and the entry without epoch and generation. If
  /// the entry is empty, only the mark is noted.
  ///
  /// Returns 1, or 0 if the entry is outdated or another process now has the claim.
  static let store = RedisScript(
    common + """
      local identity = 'E1' .. epoch(ARGV[1], KEYS[4]) .. ARGV[2]
      local line, token = identity .. ARGV[3], ARGV[6]
      local new = mark(line)
      if token ~= '' then
        local holder = get(KEYS[3])
        if holder and holder ~= token then return 0 end
      end
      local old, keeps = mark(get(KEYS[1])), false
      if old and old.epoch > new.epoch then return 0 end
      if old and old.epoch == new.epoch and older(new, old) then
        if old.generation ~= new.generation then return 0 end
        keeps = true
      end
      if ARGV[7] == '' then
        redis.call('DEL', KEYS[2])
      else
        redis.call('SET', KEYS[2], identity .. ARGV[7], 'PX', ARGV[5])
      end
      if keeps then redis.call('PEXPIRE', KEYS[1], ARGV[4]) else redis.call('SET', KEYS[1], line, 'PX', ARGV[4]) end
      return 1
      """)

  /// Renews the response of an original.
  ///
  /// Keys: mark, epoch. Arguments: epoch, generation, the mark's life, and the new date, arrival and response. These
  /// three are empty if there is no new response.
  static let renew = RedisScript(
    common + """
      local text = get(KEYS[1])
      local old, now = mark(text), epoch(ARGV[1], KEYS[2])
      if not old or old.epoch ~= now then return 0 end
      local identity = 'E1' .. now .. ARGV[2]
      if ARGV[6] == '' then
        if old.generation == ARGV[2] then return 1 end
        redis.call('SET', KEYS[1], identity .. string.sub(text, 35), 'PX', ARGV[3])
        return 1
      end
      local new = {date = tonumber(ARGV[4]), arrival = tonumber(ARGV[5])}
      if old.arrival >= 0 and olderResponse(new, old) then return 0 end
      local line = string.format(' %s %s %.0f 1\\n', ARGV[4], ARGV[5], old.stored)
      redis.call('SET', KEYS[1], identity .. line .. ARGV[6], 'PX', ARGV[3])
      return 1
      """)

  /// Returns the epoch.
  ///
  /// Key: epoch. Argument: 1 to raise it.
  static let epoch = RedisScript(
    epochs + """
      return string.format('%.0f', epochNumber(KEYS[1], ARGV[1] == '1'))
      """)

  /// Claims work.
  ///
  /// Keys: mark, entry, claim, epoch. Arguments: epoch, token, the lease in milliseconds.
  ///
  /// Returns 1, the mark and the entry if the entry is stored; 2 if the caller now has the claim; or 3, the rest of the
  /// lease and its holder.
  static let claim = RedisScript(
    common + """
      local known = get(KEYS[1])
      if known and string.sub(known, 1, 18) == 'E1' .. epoch(ARGV[1], KEYS[4]) then
        local head = redis.pcall('GETRANGE', KEYS[2], 0, 33)
        if head == string.sub(known, 1, 34) then return {1, known, get(KEYS[2])} end
      end
      local holder = get(KEYS[3])
      if holder == ARGV[2] or redis.call('SET', KEYS[3], ARGV[2], 'NX', 'PX', ARGV[3]) then return {2} end
      return {3, redis.call('PTTL', KEYS[3]), holder or ''}
      """)

  /// Extends a lease.
  ///
  /// Key: claim. Arguments: token, the lease in milliseconds. Returns 1, or 0 if another process now has the claim.
  static let extend = RedisScript(
    """
    local holder = redis.pcall('GET', KEYS[1])
    if holder == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
    return 0
    """)

  /// Ends a claim, and sends a message to those who wait.
  ///
  /// Key: claim. Arguments: token, channel, message. Returns 1, or 0 if another process now has the claim.
  static let end = RedisScript(
    """
    local holder = redis.pcall('GET', KEYS[1])
    if holder ~= ARGV[1] then return 0 end
    redis.call('DEL', KEYS[1])
    redis.call('PUBLISH', ARGV[2], ARGV[3])
    return 1
    """)
}
