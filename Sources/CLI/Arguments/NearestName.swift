/// Suggests the name that the user probably meant instead of an unknown name.
enum NearestName {
  /// The name with the fewest typing errors from `text`, nil if all are too different.
  static func of(_ text: String, among names: [String]) -> String? {
    let candidates = names.map { (name: $0, distance: distance(text, $0)) }
    guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= min(3, (text.count + 2) / 3) ? best.name : nil
  }

  /// The number of letters to add, drop, replace or swap with a neighbour to turn `left` into `right`.
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var table = [Array(0...right.count)]
    for row in 0..<left.count {
      var line = [row + 1]
      for column in 0..<right.count {
        let isSame = left[row] == right[column]
        var best = min(table[row][column] + (isSame ? 0 : 1), table[row][column + 1] + 1, line[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, table[row - 1][column - 1] + 1)
        }
        line.append(best)
      }
      table.append(line)
    }
    return table[left.count][right.count]
  }
}
