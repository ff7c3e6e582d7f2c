import Easel
import EaselHelpers

/// Lists the coders and their capabilities.
struct FormatsCommand: Command {
  static let description = CommandDescription(
    name: "formats", summary: "List the formats that are read and written.", operands: .none,
    options: [CommonOptions.json.description],
    examples: [.init("easel formats", "A line for each format.")])

  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) { isJSON = arguments.has(CommonOptions.json) }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    for mistake in HelperCards.program.mistakes { console.note("easel: \(printable(mistake))") }
    for coder in CoderRegistry.program.coders {
      for format in coder.formats {
        let names = FormatNames.program.fileExtensions(of: format)
        let writes = coder.capability((any EncodingCoder).self)?.canEncode(format) ?? false
        let isProgressive = coder.capability((any ProgressiveImageCoder).self) != nil
        report.success(
          [
            "coder": .string(coder.identifier), "format": .string(FormatNames.program.name(of: format)),
            "mimeType": .string(format.mimeType), "extensions": .array(names.map { .string($0) }), "decodes": true,
            "encodes": .boolean(writes), "progressive": .boolean(isProgressive),
          ],
          "\(FormatNames.program.name(of: format)): reads\(isProgressive ? " while bytes arrive" : "")"
            + "\(writes ? ", writes" : ""); \(format.mimeType); \(names.map { ".\($0)" }.joined(separator: " "))")
      }
    }
    return report.status
  }
}

extension JSON: ExpressibleByBooleanLiteral {
  init(booleanLiteral value: Bool) { self = .boolean(value) }
}
