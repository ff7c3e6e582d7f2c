/// An error reply of the server, or a reply that does not fit the command.
struct RedisFailure: Error, CustomStringConvertible {
  /// The first word of the error, such as `READONLY` or `OOM`.
  let word: String
  let description: String

  /// Creates the failure for an error reply.
  init(_ complaint: String, by server: String) {
    word = complaint.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
    description = "Redis at \(server) answers: \(complaint)"
  }

  /// Creates the failure for an unexpected reply.
  init(unexpected reply: RedisReply, to command: String) {
    word = ""
    description = "Redis answers \(command) by something else than it should: \("\(reply)".prefix(80))"
  }
}
