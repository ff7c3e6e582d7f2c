import Easel

/// Reads the suffix of a cache key, so that its steps can be repeated.
enum KeyReplay {
  /// The settings that a suffix may contain besides transformers.
  struct Settings {
    var decodeOptions = DecodeOptions()
    /// The recipe for encoded bytes, if the key contains one.
    var recipe: EncodeRecipe?
  }

  /// Reads the settings in the suffix, and returns its transformers.
  static func read(_ text: String, _ settings: inout Settings) throws(UsageError) -> TransformerPipeline {
    var pipeline = TransformerPipeline.identity
    guard !text.isEmpty else { return pipeline }
    for part in parts(of: text) {
      if part.hasPrefix("Encode(") {
        settings.recipe = try recipe(part)
        continue
      }
      if try isSetting(part, of: &settings.decodeOptions) { continue }
      do throws(ImageError) {
        pipeline = pipeline.then(try transformer(part))
      } catch {
        throw UsageError("--transform: \(printable(error.message))")
      }
    }
    return pipeline
  }

  /// The parts between dashes outside parentheses.
  private static func parts(of text: String) -> [String] {
    var parts = [""]
    var depth = 0
    for character in text {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if character == "-" && depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts
  }

  private static func recipe(_ part: String) throws(UsageError) -> EncodeRecipe {
    do throws(ImageError) {
      var recipe = try EncodeRecipe(parsing: part)
      // A key without an effort is that of a JPEG that libjpeg-turbo wrote.
      if recipe.options.settings[.jpegEffort] == nil { recipe.options.settings[.jpegEffort] = 1 }
      // A key without a scale is of the time when each quality was its library's.
      if recipe.options.settings[.qualityScale] == nil { recipe.options.settings[.qualityScale] = .library }
      return recipe
    } catch {
      throw UsageError("--transform: \(printable(error.message))")
    }
  }

  private static func transformer(_ part: String) throws(ImageError) -> TransformerPipeline {
    let transformer = try TransformerPipeline(parsing: part)
    guard transformer.isIdentity else { return transformer }
    throw ImageError(.transformFailed, "The key has an empty part where it needs a transformer.")
  }

  private static func isSetting(_ part: String, of options: inout DecodeOptions) throws(UsageError) -> Bool {
    switch part {
    case "Orientation(raw)": options.appliesOrientation = false
    case "Color(raw)": options.convertsColor = false
    case "Range(high)": options.keepsHighRange = true
    case "Depth(16)": options.keeps16Bits = true
    case "Partial(1)": options.damaged = .show
    case "Damaged(refuse)": options.damaged = .refuse
    case "FirstFrame(1)": options.firstFrameOnly = true
    // The program transforms all frames of an animation anyway.
    case "Animated(1)": break
    case _ where part.hasPrefix("ScaleDown("): options.scaleDownLimitBytes = try scaleDownLimit(part)
    case _ where part.hasPrefix("Thumbnail("):
      (options.thumbnailSize, options.preservesAspectRatio, options.fidelity) = try thumbnail(part)
    case _ where part.hasPrefix("Coder("):
      throw UsageError("--transform: \(printable(part)) names a coder of another program; leave that part out.")
    default: return false
    }
    return true
  }

  private static func scaleDownLimit(_ part: String) throws(UsageError) -> Int {
    guard let limit = numbers(part).first, limit > 0, part == "ScaleDown(\(limit))" else {
      throw UsageError("--transform: ScaleDown needs a number of bytes, as in ScaleDown(67108864).")
    }
    return limit
  }

  private static func thumbnail(_ part: String) throws(UsageError) -> (PixelSize, Bool, Fidelity) {
    let numbers = numbers(part)
    let care = numbers.count == 4 ? Fidelity(rawValue: numbers[3]) : .fast
    guard (3...4).contains(numbers.count), numbers[0] > 0, numbers[1] > 0, (0...1).contains(numbers[2]), let care,
      part == "Thumbnail({\(numbers[0]),\(numbers[1])},\(numbers[2])\(care == .fast ? "" : ",\(care.rawValue)"))"
    else {
      throw UsageError(
        "--transform: Thumbnail needs a box, 0 or 1, and a fidelity unless it is fast, as in Thumbnail({320,240},1,1).")
    }
    return (PixelSize(width: numbers[0], height: numbers[1]), numbers[2] == 1, care)
  }

  private static func numbers(_ part: String) -> [Int] {
    part.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
  }
}
