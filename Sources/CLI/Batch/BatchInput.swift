import EaselCore

/// One input of a batch.
struct BatchInput: Hashable, Sendable {
  /// The path, the URL, or `-`.
  let word: String
  /// For a file found in a folder, the path of its folder below the folder that the user named.
  var subfolder = ""
  /// True for a file that was found in a folder instead of named by the user.
  var isFound = false
  /// The place among all inputs, counted from 1.
  var index = 1
  /// The name of the result if another input has the same name; nil for the input's own name.
  var name: String?
  /// True if the result keeps the extension of the input.
  var keepsExtension = false
  /// The reason why this cannot be an input.
  var problem: ImageError?

  init(_ word: String, subfolder: String = "", isFound: Bool = false, problem: ImageError? = nil) {
    self.word = word
    self.subfolder = subfolder
    self.isFound = isFound
    self.problem = problem
  }

  static func == (left: BatchInput, right: BatchInput) -> Bool { left.word == right.word && left.index == right.index }

  func hash(into hasher: inout Hasher) {
    hasher.combine(word)
    hasher.combine(index)
  }

  /// The path of a file; nil for a URL and for standard input.
  var path: String? { if case .file(let path) = Input(word) { path } else { nil } }

  private var fileExtension: String? {
    guard let file = path?.split(separator: "/").last, let dot = file.lastIndex(of: "."), dot != file.startIndex else {
      return nil
    }
    return String(file[file.index(after: dot)...])
  }

  /// The values from which the name of the result is made.
  var values: OutputPattern.Values {
    let folder = path.flatMap { path in path.lastIndex(of: "/").map { String(path[...$0]) } } ?? ""
    return OutputPattern.Values(
      name: name ?? FileNames.stem(of: word), folder: folder, subfolder: subfolder, index: index,
      fileExtension: keepsExtension ? fileExtension : nil)
  }
}
