/// The scripts of purges.
///
/// Keys of all: the table, and where it is named the servers. The table is a hash: a number for each purge, at `=` the
/// newest number of all, and at `#` that of a tag.
extension RedisScript {
  // Numbers are the time of day at least, so that those of a table that was lost are not given again.
  private static let purges = """
    local function number(field)
      return tonumber(redis.call('HGET', KEYS[1], field) or '0') or 0
    end
    local function now()
      local time = redis.call('TIME')
      return time[1] * 1000 + math.floor(time[2] / 1000)
    end
    local function note(purge, new)
      if number(purge) < new then redis.call('HSET', KEYS[1], purge, string.format('%.0f', new)) end
    end
    local function changed(channel)
      local new = math.max(number('=') + 1, now())
      note('=', new)
      redis.call('PUBLISH', channel, string.format('%.0f', new))
    end

    """

  /// Notes a server, and returns the table, or that it is the same as the one that the server knows.
  ///
  /// Keys: table, servers. Arguments: the server's identity, the newest number that it knows, what it tells of itself.
  static let exchangePurges = RedisScript(
    purges + """
      redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', now()) .. ' ' .. ARGV[2] .. ' ' .. ARGV[3])
      if string.format('%.0f', number('=')) == ARGV[2] then return 'same' end
      return redis.call('HGETALL', KEYS[1])
      """)

  /// Adds purges under a new number, tells all servers, and returns the number.
  ///
  /// Arguments: the least number, the channel, the purges.
  static let addPurges = RedisScript(
    purges + """
      local new = math.max(number('=') + 1, now(), tonumber(ARGV[1]))
      for index = 3, #ARGV do
        note(ARGV[index], new)
        if string.sub(ARGV[index], 1, 2) == 't:' then note('#', new) end
      end
      note('=', new)
      local text = string.format('%.0f', new)
      redis.call('PUBLISH', ARGV[2], text)
      return text
      """)

  /// Adds purges that were lost, under the numbers that they had.
  ///
  /// Arguments: the channel, then a number and a purge in turn.
  static let restorePurges = RedisScript(
    purges + """
      for index = 2, #ARGV, 2 do
        local old = tonumber(ARGV[index])
        note(ARGV[index + 1], old)
        note('=', old)
        if string.sub(ARGV[index + 1], 1, 2) == 't:' then note('#', old) end
      end
      changed(ARGV[1])
      return 1
      """)

  /// Removes purges that still have these numbers.
  ///
  /// Arguments: the channel, then a number and a purge in turn.
  static let removePurges = RedisScript(
    purges + """
      for index = 2, #ARGV, 2 do
        if number(ARGV[index + 1]) == tonumber(ARGV[index]) then redis.call('HDEL', KEYS[1], ARGV[index + 1]) end
      end
      changed(ARGV[1])
      return 1
      """)

  /// Returns the time and all servers, and forgets those that were not there for longer than the argument says.
  ///
  /// Keys: table, servers.
  static let purgeServers = RedisScript(
    purges + """
      local time = now()
      local servers = redis.call('HGETALL', KEYS[2])
      for index = 1, #servers, 2 do
        local seen = tonumber(string.match(servers[index + 1], '^%d+') or '0')
        if time - seen > tonumber(ARGV[1]) then redis.call('HDEL', KEYS[2], servers[index]) end
      end
      return {string.format('%.0f', time), servers}
      """)
}
