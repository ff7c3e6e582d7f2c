import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

struct VisualScoreTests {
  @Test(arguments: ResizeTests.formats, [(40, 30), (7, 5), (1, 1), (1, 90), (300, 2)])
  func equalPicturesHaveTheHighestScore(_ format: PixelFormat, _ size: (Int, Int)) throws {
    let bitmap = try Bitmap.noise(size.0, size.1, format)
    #expect(try bitmap.visualScore(of: bitmap) == 100)
  }

  @Test(arguments: DrawnPair.scores)
  func theScoreIsThatOfTheFormulas(_ known: DrawnPair.Score) throws {
    let score = try known.pair.original().visualScore(of: known.pair.copy())
    #expect(abs(score - known.exact) < 0.001, "\(score) instead of \(known.exact)")
  }

  /// The program blurs by a recursion in single precision, whose rounding adds up from row to row.
  ///
  /// It takes that for errors where pictures are flat or nearly equal, and more of it in tall pictures.
  @Test(arguments: DrawnPair.scores)
  func thePublishedProgramAgrees(_ known: DrawnPair.Score) throws {
    let score = try known.pair.original().visualScore(of: known.pair.copy())
    let bound = known.pair.isFlatOrNearlyEqual ? 1.5 : 0.025
    #expect(abs(score - known.published) < bound, "\(score) instead of \(known.published)")
  }

  @Test func theOriginalAndItsCopyAreNotAlike() throws {
    let pair = DrawnPair(256, 192, .blocks)
    let (original, copy) = (try pair.original(), try pair.copy())
    #expect(abs(try original.visualScore(of: copy) - copy.visualScore(of: original)) > 0.1)
  }

  @Test func moreLossHasALowerScore() throws {
    let original = try Bitmap.waves(300, 200)
    let scores = try [1.0, 2, 4, 8].map { try original.visualScore(of: original.blurred(radius: $0)) }
    #expect(scores == scores.sorted(by: >) && scores[0] < 100 && scores[3] < 50, "\(scores)")
  }

  /// Each pair shows the same colours, and so has the score of the first.
  @Test func layoutsAndDepthsAreTheSamePictures() throws {
    let pair = DrawnPair(97, 61, .coarse)
    let (original, copy) = (try pair.original(), try pair.copy())
    let score = try original.visualScore(of: copy)
    #expect(score < 90)
    for format in [.opaqueRGBA8, PixelFormat(.bgra8, alpha: .straight), PixelFormat(.rgba8, alpha: .premultiplied)] {
      #expect(try original.visualScore(of: copy.converted(to: format)) == score)
      #expect(try original.converted(to: format).visualScore(of: copy) == score)
    }
    let deep = PixelFormat(.rgba16, alpha: .opaque)
    let scoreOfDeep = try original.converted(to: deep).visualScore(of: copy.converted(to: deep))
    #expect(abs(scoreOfDeep - score) < 0.001)
    let gray = DrawnPair(97, 61, .coarse, .gray)
    let colors = try gray.original().converted(to: .opaqueRGBA8)
    #expect(try colors.visualScore(of: gray.copy()) == gray.original().visualScore(of: gray.copy()))
  }

  @Test func transparentPixelsLieOverDarkAndOverLight() throws {
    func flat(_ color: [Int]) throws -> Bitmap {
      try Bitmap(40, 40, .rgba8) { x, _ in x < 20 ? [90, 90, 90, 255] : color }
    }
    let hidden = try flat([255, 0, 0, 0])
    #expect(try hidden.visualScore(of: flat([0, 0, 255, 0])) == 100, "Colours under transparent pixels are not seen.")
    // The grey of each background, where the other one shows the difference.
    #expect(try hidden.visualScore(of: flat([26, 26, 26, 255])) < 50)
    #expect(try hidden.visualScore(of: flat([230, 230, 230, 255])) < 50)
    let pair = DrawnPair(97, 61, .blocks, .rgba)
    let premultiplied = PixelFormat(.rgba8, alpha: .premultiplied)
    let score = try pair.original().visualScore(of: pair.copy())
    #expect(abs(try pair.original().visualScore(of: pair.copy().converted(to: premultiplied)) - score) < 0.5)
  }

  @Test func smallPicturesAreContinuedByTheirEdges() throws {
    for (width, height) in [(1, 1), (3, 20), (20, 3), (1, 64), (7, 7)] {
      let original = try Bitmap(width, height, .opaqueRGBA8) { x, y in [40 * (x % 4), 30 * (y % 5), 100, 255] }
      let copy = try Bitmap(width, height, .opaqueRGBA8) { x, y in [40 * (x % 4), 30 * (y % 5) + 60, 90, 255] }
      func continued(_ bitmap: Bitmap) throws -> Bitmap {
        try Bitmap(max(8, width), max(8, height), .opaqueRGBA8) { x, y in
          bitmap.components(min(x, width - 1), min(y, height - 1))
        }
      }
      let score = try original.visualScore(of: copy)
      #expect(try score < 90 && score == continued(original).visualScore(of: continued(copy)))
    }
  }

  @Test func picturesOfOtherSizesAreRefused() throws {
    let error = #expect(throws: ImageError.self) {
      try Bitmap(9, 8, .white).visualScore(of: Bitmap(8, 9, .white))
    }
    #expect(error?.code == .invalidRequest && error?.message.contains("9x8") == true)
  }

  @Test func aCancelledComparisonThrows() throws {
    let bitmap = try Bitmap.waves(64, 600)
    let error = #expect(throws: ImageError.self) {
      try bitmap.visualScore(of: bitmap, work: WorkContext(isCancelled: true))
    }
    #expect(error?.code == .cancelled)
  }

  /// The same score by numpy, from the formulas, of whole pictures and in double precision.
  @Test(.tags(.alone)) func numpyAgrees() throws {
    guard let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"] else {
      print("skipped: EASEL_PYTHON names no Python with numpy")
      return
    }
    var (pairs, words, bytes): ([(name: String, score: Double)], [String], [UInt8]) = ([], [], [])
    for (width, height) in [(70, 610), (1100, 30), (41, 33), (64, 64), (15, 150)] {
      let original = try DrawnPair(width, height, .coarse).original()
      for change in DrawnPair.Change.allCases {
        let copy = try DrawnPair(width, height, change).copy()
        pairs.append(("\(change) \(width)x\(height)", try original.visualScore(of: copy)))
        words += ["\(width)", "\(height)"]
        for bitmap in [original, copy] {
          bitmap.withUnsafeBytes { raw in
            for y in 0..<height {
              bytes += UnsafeRawBufferPointer(rebasing: raw[(y * bitmap.bytesPerRow)...].prefix(width * 4))
            }
          }
        }
      }
    }
    let output = EaselTestPixels.Process.output(of: [python, "-c", Self.script] + words, input: bytes)
    let scores = try #require(output.map { String(decoding: $0, as: UTF8.self) }, "numpy did not run")
      .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(scores.count == pairs.count)
    for (pair, score) in zip(pairs, scores) { #expect(abs(pair.score - score) < 0.001, "\(pair.name)") }
  }

  private static let script = """
    import sys, numpy as np
    sides = list(map(int, sys.argv[1:]))
    data = np.frombuffer(sys.stdin.buffer.read(), np.uint8)
    half_taps = [0.2646211054881985, 0.2129285920104222, 0.1093353727774603, 0.0360111146583644, 0.00941436780965374]
    taps = half_taps[:0:-1] + half_taps
    s0, s1, bias = 0.24342268924547819, 0.20476744424496821, 0.0037930732552754493
    matrix = np.array([[0.3, 0.622, 0.078], [0.23, 0.692, 0.078], [s0, s1, 1 - s0 - s1]])

    def light(v): return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)

    def colors(v):
        l, m, s = np.moveaxis(np.cbrt(v @ matrix.T + bias) - np.cbrt(bias), -1, 0)
        x, y = (l - m) / 2, (l + m) / 2
        return np.stack([14 * x + 0.42, y + 0.01, s - y + 0.55], -1)

    def blur(v):
        for axis in 0, 1:
            padded = np.pad(v, [(4, 4) if i == axis else (0, 0) for i in range(3)])
            v = sum(taps[i] * np.take(padded, range(i, i + v.shape[axis]), axis) for i in range(9))
        return v

    def half(v):
        v = np.pad(v, ((0, v.shape[0] % 2), (0, v.shape[1] % 2), (0, 0)), mode="edge")
        return (v[::2, ::2] + v[1::2, ::2] + v[::2, 1::2] + v[1::2, 1::2]) / 4

    def maps(a, b):
        ma, mb = blur(a), blur(b)
        covariance, variances = blur(a * b) - ma * mb, blur(a * a) - ma * ma + blur(b * b) - mb * mb
        structure = 1 - (1 - (ma - mb) ** 2) * (2 * covariance + 0.0009) / (variances + 0.0009)
        change = (1 + abs(b - mb)) / (1 + abs(a - ma)) - 1
        return [np.maximum(v, 0) for v in (structure, change, -change)]

    weights = [
      0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0, 0, 0.0004371155730107379, 0, 1.1041726426657346,
      0.00066284834129271, 0.00015231632783718752, 0, 0.0016406437456599754, 0, 1.8422455520539298,
      11.441172603757666, 0, 0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387,
      10.94906990605142, 0, 0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884,
      0.9981766977854967, 0.00031949755934435053, 0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0, 0,
      0, 0, 7.466890328078848, 0, 17.445833984131262, 0.0006235601634041466, 0, 0, 6.683678146179332,
      0.00037724407979611296, 1.027889937768264, 225.20515300849274, 0, 0, 19.213238186143016,
      0.0011401524586618361, 0.001237755635509985, 176.39317598450694, 0, 0, 24.43300999870476,
      0.28520802612117757, 0.0004485436923833408, 0, 0, 0, 34.77906344483772, 44.835625328877896, 0, 0, 0, 0, 0,
      0, 0, 0, 0.0008680556573291698, 0, 0, 0, 0, 0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0, 0,
      0, 0, 0.0004179171803251336, 0.0017290828234722833, 0, 0.0020827005846636437, 0, 0, 8.826982764996862,
      23.19243343998926, 0, 95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493,
      171.2667255897307, 0.9807858872435379, 0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537
    ]
    for width, height in zip(sides[::2], sides[1::2]):
        count = 2 * height * width * 4
        pictures, data = data[:count].reshape(2, height, width, 4)[..., :3] / 255, data[count:]
        a, b = light(pictures)
        norms = []
        for scale in range(6):
            if scale > 0: a, b = half(a), half(b)
            errors = maps(colors(a), colors(b))
            norms.append([[(v ** p).mean((0, 1)) ** (1 / p) for v in errors] for p in (1, 4)])
            if min(a.shape[:2]) < 8: break
        flat = [norms[s][n][m][c] for c in range(3) for s in range(len(norms)) for n in range(2) for m in range(3)]
        e = 0.9562382616834844 * sum(w * v for w, v in zip(weights, flat))
        e = 2.326765642916932 * e - 0.020884521182843837 * e ** 2 + 6.248496625763138e-05 * e ** 3
        print(repr(float(100 - 10 * e ** 0.6276336467831387)))
    """
}
