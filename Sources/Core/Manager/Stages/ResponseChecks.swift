/// What the head of a response must be like.
struct ResponseChecks: Sendable {
  let statuses: ClosedRange<Int>?
  var otherStatuses: Set<Int> = []
  let contentTypes: Set<String>?

  func check(_ head: ResponseHead, subject: String) throws(ImageError) {
    if let statuses, let status = head.status, !statuses.contains(status), !otherStatuses.contains(status) {
      let others = otherStatuses.sorted().map { " and \($0)" }.joined()
      throw ImageError(
        .badStatus,
        "The server answered with status \(status); \(statuses.lowerBound) to \(statuses.upperBound)\(others) are "
          + "accepted.", subject: subject, response: head)
    }
    guard let contentTypes else { return }
    guard let type = head.mimeType, contentTypes.contains(type) else {
      throw ImageError(
        .badContentType,
        "The server sent \(head.mimeType ?? "no type"); accepted are \(contentTypes.sorted().joined(separator: ", ")).",
        subject: subject, response: head)
    }
  }
}
