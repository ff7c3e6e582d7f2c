import EaselCore

/// The status codes and content types that a response may have.
package struct ResponseChecks: Sendable {
  private let statuses: ClosedRange<Int>?
  private let otherStatuses: Set<Int>
  private let contentTypes: Set<String>?

  package init(statuses: ClosedRange<Int>?, otherStatuses: Set<Int> = [], contentTypes: Set<String>?) {
    self.statuses = statuses
    self.otherStatuses = otherStatuses
    self.contentTypes = contentTypes
  }

  package func check(_ head: ResponseHead, subject: String) throws(ImageError) {
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
        "The server sent \(head.mimeType ?? "no type"), but only \(contentTypes.sorted().joined(separator: ", ")) "
          + "is accepted.",
        subject: subject, response: head)
    }
  }
}
