/// A complaint of the server, or a reply that does not fit the command.
struct RedisFailure: Error, CustomStringConvertible {
  /// The first word of the complaint, as `READONLY` or `OOM`.
  let word: String
  let description: String

  /// Creates the failure of a complaint.
  init(_ complaint: String, by server: String) {
    word = complaint.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
    description = "Redis at \(server) answers: \(complaint)"
  }

  /// Creates the failure of a reply that nobody expected.
  init(unexpected reply: RedisReply, to command: String) {
    word = ""
    description = "Redis answers \(command) by something else than it should: \("\(reply)".prefix(80))"
  }
}
