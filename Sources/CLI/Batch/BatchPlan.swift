import Easel
import Glibc

/// The inputs of a batch and their results, checked before anything is written.
struct BatchPlan: Sendable {
  let inputs: BatchInputs
  let pattern: OutputPattern
  /// The format of all results; nil if each input keeps its format, or becomes a PNG if its format cannot be written.
  let format: ImageFormat?

  /// The number of inputs; throws if two of them would be written to the same file.
  ///
  /// The folders are read once for this check and once more for the work, so that no list of all files is needed. The
  /// check only holds eight bytes for each file.
  func check() throws(UsageError) -> Int {
    let compares = !inputs.numbersNames && inputs.mayBeMany
    guard compares || inputs.recurses else { return inputs.words.count }
    let knowsFormats = inputs.words.allSatisfy(Self.hasReadableFormat)
    var (count, marks) = (0, [Int]())
    for input in inputs {
      count += 1
      if compares, let key = key(of: input, knowsFormats) { marks.append(key.hashValue) }
    }
    marks.sort()
    let doubles = Set(zip(marks, marks.dropFirst()).lazy.filter { $0 == $1 }.map { $0.0 })
    if !doubles.isEmpty { try refuse(doubles, knowsFormats) }
    return count
  }

  /// The name of an input's result, as far as it is known before the work.
  ///
  /// Names that differ only by the size count as equal. If an input is not a file, its format is unknown, and names
  /// that differ only by the format count as equal too.
  private func key(of input: BatchInput, _ knowsFormats: Bool) -> String? {
    guard input.problem == nil else { return nil }
    var values = input.values
    if pattern.needsFormat { values.format = format ?? (knowsFormats ? writtenFormat(of: input) : nil) }
    let path = pattern.path(values)
    return input.isFound && Self.isItself(input, path) ? nil : path
  }

  /// True if the result of a picture would be written over this picture.
  ///
  /// Such a picture is skipped if it was found in a folder, because an earlier run probably wrote it there.
  static func isItself(_ input: BatchInput, _ path: String) -> Bool {
    input.path.map { OutputPattern.tidied($0) } == path
  }

  /// The format of an input's result; nil if it is unknown.
  func writtenFormat(of input: BatchInput) -> ImageFormat? {
    if let format { return format }
    guard Self.hasReadableFormat(input.word), let path = input.path, let bytes = try? ImageBytes(contentsOfFile: path)
    else { return nil }
    return Self.kept(try? CoderRegistry.program.format(of: bytes))
  }

  /// False for an input that is not a file, and for a pipe, whose first bytes can be read only once.
  private static func hasReadableFormat(_ word: String) -> Bool {
    guard case .file(let path) = Input(word) else { return false }
    var status = stat()
    return stat(path, &status) != 0 || ![S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
  }

  /// The format for a result that keeps the format of its input: PNG if that format cannot be written.
  static func kept(_ format: ImageFormat?) -> ImageFormat {
    format.flatMap { CoderRegistry.program.canEncode($0) ? $0 : nil } ?? .png
  }

  private func refuse(_ doubles: Set<Int>, _ knowsFormats: Bool) throws(UsageError) {
    var first: [String: String] = [:]
    for input in inputs {
      guard let key = key(of: input, knowsFormats), doubles.contains(key.hashValue) else { continue }
      guard let other = first.updateValue(input.word, forKey: key) else { continue }
      throw UsageError(
        "Both \(printable(Input.name(other))) and \(printable(Input.name(input.word))) would be written to "
          + "\(printable(key)), so nothing was written. Tell them apart in --output, as in '{name}-{index}.{ext}'"
          + (inputs.recurses ? " or 'out/{sub}/{name}.{ext}'." : "."))
    }
  }
}
