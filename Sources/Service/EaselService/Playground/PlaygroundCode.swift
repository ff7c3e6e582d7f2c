import EaselCore
import EaselTransformers
import FoundationEssentials

/// The same picture by the command of a shell and by the library, for those who copy it from the page.
struct PlaygroundCode {
  /// The command; it can be pasted into a shell as it is.
  let command: String
  let swift: String
  /// The other needs of the command; empty if it has none.
  let hint: String

  /// The reason why a picture has no such code, for the reader of the page.
  struct Missing: Error {
    let reason: String
  }

  /// The plan is nil if the picture needs another one that is not loaded yet.
  init(_ wanted: WantedImage, _ plan: WantedImage.Plan?, _ settings: ServiceSettings) throws(Missing) {
    guard wanted.order.answer == .picture else { throw Missing(reason: "Only a picture that is made has a command.") }
    guard let plan, let resolved = plan.request.resolved(with: settings.values.manager, by: settings) else {
      throw Missing(reason: "This order needs a picture that must be loaded first.")
    }
    // The suffixes of context keys only keep results apart.
    let steps = resolved.variantKey.suffixes.filter { $0.origin != .custom }.map(\.text)
    let transformers = resolved.transformer.members.map(\.cacheKey).joined(separator: "-")
    guard !steps.contains(where: { $0.hasPrefix("Coder(") }), (try? TransformerPipeline(parsing: transformers)) != nil
    else { throw Missing(reason: "Only the picture server can do this.") }
    let form: String
    do throws(ImageError) {
      form = try plan.recipe.keyText(settings.values.manager.coders)
    } catch {
      throw Missing(reason: error.message)
    }
    let source = try Source(wanted.url)
    let format = wanted.order.format ?? plan.recipe.formats[0]
    let key = (steps + [form]).joined(separator: "-")
    command =
      "easel convert --transform \(Self.shellQuoted(key)) \(Self.shellQuoted(source.word)) "
      + "-o picture.\(settings.formats.fileExtension(of: format))"
    hint = source.isFile ? "Run it in the folder that is given to the server as --local." : ""
    let options = resolved.decodeOptions
    var context: [String] = transformers.isEmpty ? [] : [".transformer(pipeline)"]
    if !options.appliesOrientation || options.keeps16Bits {
      context.append(
        ".decodeOptions(DecodeOptions(appliesOrientation: \(options.appliesOrientation), "
          + "keeps16Bits: \(options.keeps16Bits)))")
    }
    let pipeline =
      transformers.isEmpty
      ? "" : "let pipeline = try TransformerPipeline(parsing: \(Self.swiftQuoted(transformers)))\n"
    swift = """
      \(pipeline)let request = ImageRequest(\(source.swift), context: [\(context.joined(separator: ", "))])
      let picture = try await manager.encoded(
        for: request, as: EncodeRecipe(parsing: \(Self.swiftQuoted(form))))
      """
  }

  /// The source, as the program and the library name it.
  private struct Source {
    let word: String
    let swift: String
    let isFile: Bool

    init(_ url: URL) throws(Missing) {
      isFile = url.scheme == "local"
      // The dot keeps the name of a file in the server's folder from being taken for an option or an address.
      word = isFile ? ".\(url.path(percentEncoded: false))" : url.absoluteString
      guard word.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
        throw Missing(reason: "The name of the source has characters that a terminal takes for commands.")
      }
      let quoted = PlaygroundCode.swiftQuoted(word)
      swift = isFile ? "url: URL(filePath: \(quoted))" : quoted
    }
  }

  /// The text as one word of a shell, in which nothing has a meaning.
  static func shellQuoted(_ text: String) -> String {
    var result = "'"
    // A quote with an accent is one character, so scalars are looked at.
    for scalar in text.unicodeScalars {
      if scalar == "'" { result += "'\\''" } else { result.unicodeScalars.append(scalar) }
    }
    return result + "'"
  }

  /// The text as a literal of Swift.
  static func swiftQuoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
