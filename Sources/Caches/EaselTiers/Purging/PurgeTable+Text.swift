/// The form in which a file holds a table.
extension PurgeTable {
  private static let head = "easel purges 1"

  /// The table as lines: a head, the newest numbers, then a number and a purge in each.
  package var text: String {
    var lines = [Self.head, "\(latest) \(latestTag)"]
    lines += numbers.map { "\($0.value) \($0.key.name)" }.sorted()
    // Its absence shows that the file was cut.
    lines.append("end")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Reads a table; nil if the text is damaged.
  package init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 4, lines[0] == Self.head, lines[lines.count - 2] == "end", lines[lines.count - 1].isEmpty
    else {
      return nil
    }
    let newest = lines[1].split(separator: " ").map { UInt64($0) }
    guard newest.count == 2, let latest = newest[0], let latestTag = newest[1] else { return nil }
    self.init()
    note(latest: latest, latestTag: latestTag)
    for line in lines[2..<(lines.count - 2)] {
      let words = line.split(separator: " ")
      guard words.count == 2, let number = UInt64(words[0]), let purge = Purge(name: words[1]) else { return nil }
      note(purge, number)
    }
  }
}
