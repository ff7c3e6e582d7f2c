import EaselCore

/// One input of a batch.
struct BatchInput: Hashable, Sendable {
  /// The path, the URL, or `-`.
  let word: String
  /// The folder below the one that was given, for a file found there.
  var subfolder = ""
  /// True for a file that was found in a folder and not named by the user.
  var isFound = false
  /// The place among all inputs, from 1.
  var index = 1
  /// The name of its file where another input has the same; nil for its own.
  var name: String?
  /// True if its file keeps the extension.
  var keepsExtension = false
  /// The reason why it cannot be an input.
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

  /// The path of a file; nil for a URL and standard input.
  var path: String? { if case .file(let path) = Input(word) { path } else { nil } }

  private var fileExtension: String? {
    guard let file = path?.split(separator: "/").last, let dot = file.lastIndex(of: "."), dot != file.startIndex else {
      return nil
    }
    return String(file[file.index(after: dot)...])
  }

  /// The values that its result's name is made of.
  var values: OutputPattern.Values {
    let folder = path.flatMap { path in path.lastIndex(of: "/").map { String(path[...$0]) } } ?? ""
    return OutputPattern.Values(
      name: name ?? FileNames.stem(of: word), folder: folder, subfolder: subfolder, index: index,
      fileExtension: keepsExtension ? fileExtension : nil)
  }
}
