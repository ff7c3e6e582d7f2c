extension DrawnPair {
  struct Score: CustomStringConvertible, Sendable {
    let pair: DrawnPair
    /// By the formulas, of whole pictures in double precision, as the script of ``VisualScoreTests`` computes it.
    let exact: Double
    /// By the program of the metric's author, version 2.1, on a processor with AVX-512.
    let published: Double

    init(of pair: DrawnPair, exact: Double, published: Double) {
      (self.pair, self.exact, self.published) = (pair, exact, published)
    }

    var description: String { "\(pair)" }
  }

  static let scores = [
    Score(of: DrawnPair(256, 192, .coarse), exact: 68.8443, published: 68.8398),
    Score(of: DrawnPair(256, 192, .shifted), exact: 4.1148, published: 4.1119),
    Score(of: DrawnPair(256, 192, .blocks), exact: 18.1652, published: 18.1607),
    Score(of: DrawnPair(256, 192, .speckled), exact: 91.4278, published: 91.4063),
    Score(of: DrawnPair(256, 192, .faint), exact: 97.2598, published: 97.0952),
    Score(of: DrawnPair(97, 61, .coarse), exact: 50.2526, published: 50.2391),
    Score(of: DrawnPair(97, 61, .shifted), exact: 32.5990, published: 32.5959),
    Score(of: DrawnPair(97, 61, .blocks), exact: 54.4667, published: 54.4614),
    Score(of: DrawnPair(97, 61, .speckled), exact: 80.9741, published: 80.9618),
    Score(of: DrawnPair(97, 61, .faint), exact: 98.6032, published: 97.9918),
    Score(of: DrawnPair(64, 9, .coarse), exact: 91.7211, published: 91.7204),
    Score(of: DrawnPair(64, 9, .shifted), exact: 93.4070, published: 93.4077),
    Score(of: DrawnPair(64, 9, .blocks), exact: 94.1189, published: 94.1181),
    Score(of: DrawnPair(64, 9, .speckled), exact: 94.7544, published: 94.7544),
    Score(of: DrawnPair(64, 9, .faint), exact: 98.5541, published: 98.5518),
    Score(of: DrawnPair(33, 200, .coarse), exact: 24.9369, published: 24.9251),
    Score(of: DrawnPair(33, 200, .shifted), exact: -30.6371, published: -30.6456),
    Score(of: DrawnPair(33, 200, .blocks), exact: 29.8650, published: 29.8544),
    Score(of: DrawnPair(33, 200, .speckled), exact: 75.0577, published: 75.0593),
    Score(of: DrawnPair(33, 200, .faint), exact: 98.9459, published: 97.5430),
    Score(of: DrawnPair(8, 8, .coarse), exact: 94.5054, published: 94.5056),
    Score(of: DrawnPair(8, 8, .shifted), exact: 96.1648, published: 96.1650),
    Score(of: DrawnPair(8, 8, .blocks), exact: 95.2914, published: 95.2916),
    Score(of: DrawnPair(8, 8, .speckled), exact: 96.2237, published: 96.2238),
    Score(of: DrawnPair(8, 8, .faint), exact: 98.5136, published: 98.5135),
    Score(of: DrawnPair(17, 31, .coarse), exact: 77.9833, published: 77.9797),
    Score(of: DrawnPair(17, 31, .shifted), exact: 86.5735, published: 86.5772),
    Score(of: DrawnPair(17, 31, .blocks), exact: 91.5463, published: 91.5447),
    Score(of: DrawnPair(17, 31, .speckled), exact: 90.3633, published: 90.3574),
    Score(of: DrawnPair(17, 31, .faint), exact: 98.5327, published: 98.4677),
    Score(of: DrawnPair(97, 61, .coarse, .gray), exact: 75.6099, published: 75.4765),
    Score(of: DrawnPair(97, 61, .blocks, .gray), exact: 83.4070, published: 83.2373),
    Score(of: DrawnPair(97, 61, .coarse, .rgba), exact: 60.6234, published: 60.6113),
    Score(of: DrawnPair(97, 61, .blocks, .rgba), exact: 73.9228, published: 73.9217),
  ]
}
