/// The limits and deadlines of a listener.
public struct ListenerSettings: Hashable, Sendable {
  /// The limits of a request's head.
  package var head = HeadLimits()
  /// The time in which a whole head must have arrived.
  public var headTime = Duration.seconds(5)
  /// The time for which a connection may wait for the next head.
  public var idleTime = Duration.seconds(60)
  /// The time in which a client must take 4 KiB of an answer, or what is left of it.
  public var sendTime = Duration.seconds(10)
  /// The bytes that a client must take in each `sendTime`, so that nobody holds an answer by taking single bytes.
  package var sendBytes = 4096
  /// The time for which a connection stays after its last answer, until the client has read it and closed.
  package var lingerTime = Duration.seconds(2)
  /// The most connections at a time; fewer if the process may not open as many descriptors.
  ///
  /// An idle one costs about 300 bytes of the process, beside the memory of the system.
  public var connections = 8192
  /// The connections of each thread beyond the limit that are asked what they want.
  ///
  /// They get what needs no waiting, such as an answer about the health of the server, and all else is refused. As many
  /// descriptors are kept for them, so that they come in also when the process has no other left.
  package var briefConnections = 4
  /// The descriptors of the process that connections never take; at most three quarters of all.
  ///
  /// They are for files, for connections to other servers, and for the runtime, which ends the process when its timers
  /// find none.
  package var reservedDescriptors = 128
  /// The most connections of one address at a time; nil for no limit.
  ///
  /// The first half of an IPv6 address counts, because each household has one. Unix sockets have no such limit.
  public var connectionsPerAddress: Int?
  /// The number of threads that accept and serve connections.
  ///
  /// They share the listening sockets, so that a thread which is busy keeps no connection waiting that another could
  /// take, and so that Unix sockets and those of another program are shared as well. One thread answers more than
  /// fifty thousand requests a second from memory.
  public var threads = 1
  /// The most connections that wait to be accepted.
  package var backlog = 1024
  /// True when other processes may listen on the same port at the same time.
  public var sharesPort = false

  /// Begins with the defaults, which can be changed one by one.
  public init() {}
}

/// The state of a listener, and what it did since it was started.
package struct ListenerCounts: Hashable, Sendable {
  /// The connections that are open.
  package var open = 0
  /// The connections that were accepted.
  package var accepted = 0
  /// The requests that the handler got.
  package var requests = 0
  /// The requests whose client left before the answer was complete.
  package var left = 0
  /// The connections that were answered or closed by the listener itself, by status: 400, 408, 503 and so on.
  package var refused: [Int: Int] = [:]
  /// Those of them that came from an address with all the connections that it may have.
  package var crowded = 0
  /// The connections that were closed because nothing came on them.
  package var idled = 0
  /// The connections that were closed because their client did not take an answer.
  package var stalled = 0
  /// The times at which accepting paused because the process or the system had no descriptor left.
  package var pauses = 0

  package init() {}

  mutating func add(_ others: ListenerCounts) {
    open += others.open
    accepted += others.accepted
    requests += others.requests
    left += others.left
    refused.merge(others.refused, uniquingKeysWith: +)
    crowded += others.crowded
    idled += others.idled
    stalled += others.stalled
    pauses += others.pauses
  }
}
