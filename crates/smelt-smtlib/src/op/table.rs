//! The rows of the operator table.
//!
//! One row is: the name of the operator in Rust, its SMT-LIB 2.6 spelling (with the names of its indices), after `/`
//! its spellings in older dialects if they differ (the first is the one we print), and its signature in the language
//! of `signature.rs`. Two spellings that today's solvers tell apart are two operators, even if they mean the same,
//! because a formula is printed back as it was written.

use super::Theory;

/// One row as written below.
pub(crate) struct Row {
    pub op: Op,
    pub theory: Theory,
    pub spelling: &'static str,
    pub old_names: &'static [&'static str],
    pub signature: &'static str,
}

macro_rules! operators {
    ($($theory:ident { $($op:ident $spelling:literal $(/ $($old:literal)+)? : $signature:literal;)* })*) => {
        /// An operator of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op {
            $($(
                #[doc = concat!("`", $spelling, "`: `", $signature, "`.")]
                $op,
            )*)*
        }

        pub(crate) const ROWS: &[Row] = &[
            $($(Row {
                op: Op::$op,
                theory: Theory::$theory,
                spelling: $spelling,
                old_names: &[$($($old),+)?],
                signature: $signature,
            },)*)*
        ];
    };
}

operators! {
    Core {
        True "true": "-> Bool";
        False "false": "-> Bool";
        Not "not": "Bool -> Bool";
        Implies "=>": "Bool Bool -> Bool :right-assoc";
        And "and": "Bool Bool -> Bool :left-assoc";
        Or "or": "Bool Bool -> Bool :left-assoc";
        Xor "xor": "Bool Bool -> Bool :left-assoc";
        Eq "=": "A A -> Bool :chainable";
        Distinct "distinct": "A A -> Bool :pairwise";
        Ite "ite": "Bool A A -> A";
        // Z3's words for `=>` and `=`.
        ImpliesWord "implies": "Bool Bool -> Bool :right-assoc";
        Iff "iff": "Bool Bool -> Bool :chainable";
        // Counts of Z3: the first index of the last three is the bound, the others are the coefficients.
        AtMost "(_ at-most n)": "Bool Bool -> Bool :computed";
        AtLeast "(_ at-least n)": "Bool Bool -> Bool :computed";
        PbLe "(_ pble n..)": "Bool -> Bool :computed";
        PbGe "(_ pbge n..)": "Bool -> Bool :computed";
        PbEq "(_ pbeq n..)": "Bool -> Bool :computed";
    }
    Ints {
        Neg "-": "Int -> Int | Real -> Real";
        Sub "-": "Int Int -> Int | Real Real -> Real :left-assoc";
        Add "+": "Int Int -> Int | Real Real -> Real :left-assoc";
        Mul "*": "Int Int -> Int | Real Real -> Real :left-assoc";
        IntDiv "div": "Int Int -> Int :left-assoc";
        Mod "mod": "Int Int -> Int";
        Abs "abs": "Int -> Int | Real -> Real";
        Le "<=": "Int Int -> Bool | Real Real -> Bool :chainable";
        Lt "<": "Int Int -> Bool | Real Real -> Bool :chainable";
        Ge ">=": "Int Int -> Bool | Real Real -> Bool :chainable";
        Gt ">": "Int Int -> Bool | Real Real -> Bool :chainable";
        Divisible "(_ divisible n)": "Int -> Bool :where 1<=n";
        Power "^": "Int Int -> Int | Real Real -> Real";
        IntDivTotal "div_total": "Int Int -> Int";
        ModTotal "mod_total": "Int Int -> Int";
        IntAnd "(_ iand n)": "Int Int -> Int :where 1<=n";
        IntPow2 "int.pow2": "Int -> Int";
        IntLog2 "int.log2": "Int -> Int";
        // The remainder of Z3, with the sign of the divisor.
        Rem "rem": "Int Int -> Int";
        // As `iand`, of so many bits as the first argument says.
        ParametricIntAnd "piand": "Int Int Int -> Int";
    }
    Reals {
        RealDiv "/": "Real Real -> Real :left-assoc";
        RealDivTotal "/_total": "Real Real -> Real";
        ToReal "to_real": "Int -> Real | Real -> Real";
        ToInt "to_int": "Real -> Int";
        IsInt "is_int": "Real -> Bool";
    }
    Transcendentals {
        RealPi "real.pi": "-> Real";
        Pi "pi": "-> Real";
        Euler "euler": "-> Real";
        Exp "exp": "Real -> Real";
        Sqrt "sqrt": "Real -> Real";
        Sin "sin": "Real -> Real";
        Cos "cos": "Real -> Real";
        Tan "tan": "Real -> Real";
        Csc "csc": "Real -> Real";
        Sec "sec": "Real -> Real";
        Cot "cot": "Real -> Real";
        Arcsin "arcsin": "Real -> Real";
        Arccos "arccos": "Real -> Real";
        Arctan "arctan": "Real -> Real";
        Arccsc "arccsc": "Real -> Real";
        Arcsec "arcsec": "Real -> Real";
        Arccot "arccot": "Real -> Real";
        Asin "asin": "Real -> Real";
        Acos "acos": "Real -> Real";
        Atan "atan": "Real -> Real";
        Sinh "sinh": "Real -> Real";
        Cosh "cosh": "Real -> Real";
        Tanh "tanh": "Real -> Real";
        Asinh "asinh": "Real -> Real";
        Acosh "acosh": "Real -> Real";
        Atanh "atanh": "Real -> Real";
    }
    BitVectors {
        Concat "concat": "(BitVec m) (BitVec n) -> (BitVec m+n) :left-assoc";
        Extract "(_ extract i j)": "(BitVec m) -> (BitVec i-j+1) :where j<=i i+1<=m";
        BvNot "bvnot": "(BitVec m) -> (BitVec m)";
        BvNeg "bvneg": "(BitVec m) -> (BitVec m)";
        BvAnd "bvand": "(BitVec m) (BitVec m) -> (BitVec m) :left-assoc";
        BvOr "bvor": "(BitVec m) (BitVec m) -> (BitVec m) :left-assoc";
        BvXor "bvxor": "(BitVec m) (BitVec m) -> (BitVec m) :left-assoc";
        BvNand "bvnand": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvNor "bvnor": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvXnor "bvxnor": "(BitVec m) (BitVec m) -> (BitVec m) :left-assoc";
        BvAdd "bvadd": "(BitVec m) (BitVec m) -> (BitVec m) :left-assoc";
        BvSub "bvsub": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvMul "bvmul": "(BitVec m) (BitVec m) -> (BitVec m) :left-assoc";
        BvUdiv "bvudiv": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvUrem "bvurem": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvSdiv "bvsdiv": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvSrem "bvsrem": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvSmod "bvsmod": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvShl "bvshl": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvLshr "bvlshr": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvAshr "bvashr": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvComp "bvcomp": "(BitVec m) (BitVec m) -> (BitVec 1)";
        BvUlt "bvult": "(BitVec m) (BitVec m) -> Bool";
        BvUle "bvule": "(BitVec m) (BitVec m) -> Bool";
        BvUgt "bvugt": "(BitVec m) (BitVec m) -> Bool";
        BvUge "bvuge": "(BitVec m) (BitVec m) -> Bool";
        BvSlt "bvslt": "(BitVec m) (BitVec m) -> Bool";
        BvSle "bvsle": "(BitVec m) (BitVec m) -> Bool";
        BvSgt "bvsgt": "(BitVec m) (BitVec m) -> Bool";
        BvSge "bvsge": "(BitVec m) (BitVec m) -> Bool";
        Repeat "(_ repeat i)": "(BitVec m) -> (BitVec i*m) :where 1<=i";
        ZeroExtend "(_ zero_extend i)": "(BitVec m) -> (BitVec m+i)";
        SignExtend "(_ sign_extend i)": "(BitVec m) -> (BitVec m+i)";
        RotateLeft "(_ rotate_left i)": "(BitVec m) -> (BitVec m)";
        RotateRight "(_ rotate_right i)": "(BitVec m) -> (BitVec m)";
        BvNegO "bvnego": "(BitVec m) -> Bool";
        BvUaddO "bvuaddo": "(BitVec m) (BitVec m) -> Bool";
        BvSaddO "bvsaddo": "(BitVec m) (BitVec m) -> Bool";
        BvUmulO "bvumulo": "(BitVec m) (BitVec m) -> Bool";
        BvSmulO "bvsmulo": "(BitVec m) (BitVec m) -> Bool";
        BvUsubO "bvusubo": "(BitVec m) (BitVec m) -> Bool";
        BvSsubO "bvssubo": "(BitVec m) (BitVec m) -> Bool";
        BvSdivO "bvsdivo": "(BitVec m) (BitVec m) -> Bool";
        UbvToInt "ubv_to_int": "(BitVec m) -> Int";
        SbvToInt "sbv_to_int": "(BitVec m) -> Int";
        IntToBv "(_ int_to_bv n)": "Int -> (BitVec n)";
        Bv2Nat "bv2nat": "(BitVec m) -> Int";
        Bv2Int "bv2int": "(BitVec m) -> Int";
        Int2Bv "(_ int2bv n)": "Int -> (BitVec n)";
        BvRedOr "bvredor": "(BitVec m) -> (BitVec 1)";
        BvRedAnd "bvredand": "(BitVec m) -> (BitVec 1)";
        ExtRotateLeft "ext_rotate_left": "(BitVec m) (BitVec m) -> (BitVec m)";
        ExtRotateRight "ext_rotate_right": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvUmulNoovfl "bvumul_noovfl": "(BitVec m) (BitVec m) -> Bool";
        BvSmulNoovfl "bvsmul_noovfl": "(BitVec m) (BitVec m) -> Bool";
        BvSmulNoudfl "bvsmul_noudfl": "(BitVec m) (BitVec m) -> Bool";
        Bit2Bool "(_ bit2bool i)": "(BitVec m) -> Bool :where i+1<=m";
        // Z3's words for division by what is not zero.
        BvUdivI "bvudiv_i": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvSdivI "bvsdiv_i": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvUremI "bvurem_i": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvSremI "bvsrem_i": "(BitVec m) (BitVec m) -> (BitVec m)";
        BvSmodI "bvsmod_i": "(BitVec m) (BitVec m) -> (BitVec m)";
        // A bit-vector of Z3 from its bits, the highest first.
        MakeBv "mkbv": "Bool Bool -> (BitVec 2) :computed";
        BvIte "bvite": "(BitVec 1) (BitVec m) (BitVec m) -> (BitVec m)";
    }
    Floats {
        Rne "RNE": "-> RoundingMode";
        Rna "RNA": "-> RoundingMode";
        Rtp "RTP": "-> RoundingMode";
        Rtn "RTN": "-> RoundingMode";
        Rtz "RTZ": "-> RoundingMode";
        RoundNearestTiesToEven "roundNearestTiesToEven": "-> RoundingMode";
        RoundNearestTiesToAway "roundNearestTiesToAway": "-> RoundingMode";
        RoundTowardPositive "roundTowardPositive": "-> RoundingMode";
        RoundTowardNegative "roundTowardNegative": "-> RoundingMode";
        RoundTowardZero "roundTowardZero": "-> RoundingMode";
        Fp "fp": "(BitVec 1) (BitVec e) (BitVec m) -> (Float e m+1)";
        FpPlusInfinity "(_ +oo e s)": "-> (Float e s)";
        FpMinusInfinity "(_ -oo e s)": "-> (Float e s)";
        FpPlusZero "(_ +zero e s)": "-> (Float e s)";
        FpMinusZero "(_ -zero e s)": "-> (Float e s)";
        FpNan "(_ NaN e s)": "-> (Float e s)";
        FpAbs "fp.abs": "(Float e s) -> (Float e s)";
        FpNeg "fp.neg": "(Float e s) -> (Float e s)";
        FpAdd "fp.add": "RoundingMode (Float e s) (Float e s) -> (Float e s)";
        FpSub "fp.sub": "RoundingMode (Float e s) (Float e s) -> (Float e s)";
        FpMul "fp.mul": "RoundingMode (Float e s) (Float e s) -> (Float e s)";
        FpDiv "fp.div": "RoundingMode (Float e s) (Float e s) -> (Float e s)";
        FpFma "fp.fma": "RoundingMode (Float e s) (Float e s) (Float e s) -> (Float e s)";
        FpSqrt "fp.sqrt": "RoundingMode (Float e s) -> (Float e s)";
        FpRem "fp.rem": "(Float e s) (Float e s) -> (Float e s)";
        FpRoundToIntegral "fp.roundToIntegral": "RoundingMode (Float e s) -> (Float e s)";
        FpMin "fp.min": "(Float e s) (Float e s) -> (Float e s)";
        FpMax "fp.max": "(Float e s) (Float e s) -> (Float e s)";
        FpLeq "fp.leq": "(Float e s) (Float e s) -> Bool :chainable";
        FpLt "fp.lt": "(Float e s) (Float e s) -> Bool :chainable";
        FpGeq "fp.geq": "(Float e s) (Float e s) -> Bool :chainable";
        FpGt "fp.gt": "(Float e s) (Float e s) -> Bool :chainable";
        FpEq "fp.eq": "(Float e s) (Float e s) -> Bool :chainable";
        FpIsNormal "fp.isNormal": "(Float e s) -> Bool";
        FpIsSubnormal "fp.isSubnormal": "(Float e s) -> Bool";
        FpIsZero "fp.isZero": "(Float e s) -> Bool";
        FpIsInfinite "fp.isInfinite": "(Float e s) -> Bool";
        FpIsNan "fp.isNaN": "(Float e s) -> Bool";
        FpIsNegative "fp.isNegative": "(Float e s) -> Bool";
        FpIsPositive "fp.isPositive": "(Float e s) -> Bool";
        ToFp "(_ to_fp e s)": "(BitVec e+s) -> (Float e s) | RoundingMode (Float m n) -> (Float e s) \
            | RoundingMode Real -> (Float e s) | RoundingMode (BitVec m) -> (Float e s)";
        // Z3 takes an exponent to the base 2 after the number.
        ToFpScaled "(_ to_fp e s)": "RoundingMode Real Int -> (Float e s)";
        // The overloads of `to_fp` by names of their own, as cvc5 has them.
        ToFpBv "(_ to_fp_bv e s)": "(BitVec e+s) -> (Float e s)";
        ToFpFp "(_ to_fp_fp e s)": "RoundingMode (Float m n) -> (Float e s)";
        ToFpReal "(_ to_fp_real e s)": "RoundingMode Real -> (Float e s)";
        ToFpSigned "(_ to_fp_signed e s)": "RoundingMode (BitVec m) -> (Float e s)";
        ToFpUnsigned "(_ to_fp_unsigned e s)": "RoundingMode (BitVec m) -> (Float e s)";
        FpToUbv "(_ fp.to_ubv w)": "RoundingMode (Float e s) -> (BitVec w)";
        FpToSbv "(_ fp.to_sbv w)": "RoundingMode (Float e s) -> (BitVec w)";
        FpToReal "fp.to_real": "(Float e s) -> Real";
        FpToIeeeBv "fp.to_ieee_bv": "(Float e s) -> (BitVec e+s)";
    }
    Arrays {
        Select "select": "(Array A B) A -> B";
        Store "store": "(Array A B) A B -> (Array A B)";
        ConstArray "const": "B -> (Array A B)";
        EqRange "eqrange": "(Array A B) (Array A B) A A -> Bool";
        // Arrays of Z3 with several indices, which are its functions.
        SelectFunction "select": "(-> A B C) A B -> C :computed";
        StoreFunction "store": "(-> A B C) A B C -> (-> A B C) :computed";
        ConstFunction "const": "C -> (-> A B C)";
        // Extensions of Z3, among them sets as arrays of `Bool`.
        ArrayDefault "default": "(Array A B) -> B";
        ArrayExt "array-ext": "(Array A B) (Array A B) -> A";
        ArrayUnion "union": "(Array A Bool) (Array A Bool) -> (Array A Bool) :left-assoc";
        ArrayIntersection "intersection": "(Array A Bool) (Array A Bool) -> (Array A Bool) :left-assoc";
        ArraySetMinus "setminus": "(Array A Bool) (Array A Bool) -> (Array A Bool) :left-assoc";
        ArrayComplement "complement": "(Array A Bool) -> (Array A Bool)";
        ArraySubset "subset": "(Array A Bool) (Array A Bool) -> Bool";
        ArrayCard "card": "(Array A Bool) -> Int";
        ArrayHasSize "set-has-size": "(Array A Bool) Int -> Bool";
    }
    Strings {
        Char "(_ char x)": "-> String";
        StrConcat "str.++": "String String -> String :left-assoc";
        StrLen "str.len": "String -> Int";
        StrLt "str.<": "String String -> Bool :chainable";
        StrLe "str.<=": "String String -> Bool :chainable";
        StrAt "str.at": "String Int -> String";
        StrSubstr "str.substr": "String Int Int -> String";
        StrPrefixof "str.prefixof": "String String -> Bool";
        StrSuffixof "str.suffixof": "String String -> Bool";
        StrContains "str.contains": "String String -> Bool";
        StrIndexof "str.indexof": "String String Int -> Int";
        // Z3 takes the start position 0 as given.
        StrIndexofFromStart "str.indexof": "String String -> Int";
        StrReplace "str.replace": "String String String -> String";
        StrReplaceAll "str.replace_all" / "str.replaceall": "String String String -> String";
        StrReplaceRe "str.replace_re": "String RegLan String -> String";
        StrReplaceReAll "str.replace_re_all": "String RegLan String -> String";
        StrIsDigit "str.is_digit": "String -> Bool";
        StrToCode "str.to_code" / "str.code": "String -> Int";
        StrFromCode "str.from_code" / "str.from-code": "Int -> String";
        StrToInt "str.to_int" / "str.to.int" "str.to-int": "String -> Int";
        StrFromInt "str.from_int" / "int.to.str" "str.from-int": "Int -> String";
        StrInRe "str.in_re" / "str.in.re" "str.in-re": "String RegLan -> Bool";
        StrRev "str.rev": "String -> String";
        StrToLower "str.to_lower" / "str.tolower": "String -> String";
        StrToUpper "str.to_upper" / "str.toupper": "String -> String";
        StrUpdate "str.update": "String Int String -> String";
        StrIndexofRe "str.indexof_re": "String RegLan Int -> Int";
        StrFromUbv "str.from_ubv": "(BitVec m) -> String";
        StrFromSbv "str.from_sbv": "(BitVec m) -> String";
    }
    Regexes {
        StrToRe "str.to_re" / "str.to.re" "str.to-re": "String -> RegLan";
        ReNone "re.none" / "re.nostr": "-> RegLan";
        ReAll "re.all": "-> RegLan";
        ReAllChar "re.allchar": "-> RegLan";
        ReConcat "re.++": "RegLan RegLan -> RegLan :left-assoc";
        ReUnion "re.union": "RegLan RegLan -> RegLan :left-assoc";
        ReInter "re.inter": "RegLan RegLan -> RegLan :left-assoc";
        ReStar "re.*": "RegLan -> RegLan";
        ReComp "re.comp" / "re.complement": "RegLan -> RegLan";
        ReDiff "re.diff": "RegLan RegLan -> RegLan :left-assoc";
        RePlus "re.+": "RegLan -> RegLan";
        ReOpt "re.opt": "RegLan -> RegLan";
        ReRange "re.range": "String String -> RegLan";
        RePower "(_ re.^ n)": "RegLan -> RegLan";
        ReLoop "(_ re.loop i n)": "RegLan -> RegLan";
        // Bounds as terms, as cvc4 had them; without the upper bound in Z3.
        ReLoopBetween "re.loop": "RegLan Int Int -> RegLan";
        ReLoopFrom "(_ re.loop i)": "RegLan -> RegLan";
    }
    Sequences {
        SeqEmpty "seq.empty": "-> (Seq A)";
        SeqUnit "seq.unit": "A -> (Seq A)";
        SeqConcat "seq.++": "(Seq A) (Seq A) -> (Seq A) :left-assoc";
        SeqLen "seq.len": "(Seq A) -> Int";
        SeqNth "seq.nth": "(Seq A) Int -> A";
        SeqExtract "seq.extract": "(Seq A) Int Int -> (Seq A)";
        SeqAt "seq.at": "(Seq A) Int -> (Seq A)";
        SeqContains "seq.contains": "(Seq A) (Seq A) -> Bool";
        SeqIndexof "seq.indexof": "(Seq A) (Seq A) Int -> Int";
        SeqReplace "seq.replace": "(Seq A) (Seq A) (Seq A) -> (Seq A)";
        SeqReplaceAll "seq.replace_all": "(Seq A) (Seq A) (Seq A) -> (Seq A)";
        SeqPrefixof "seq.prefixof": "(Seq A) (Seq A) -> Bool";
        SeqSuffixof "seq.suffixof": "(Seq A) (Seq A) -> Bool";
        SeqUpdate "seq.update": "(Seq A) Int (Seq A) -> (Seq A)";
        SeqRev "seq.rev": "(Seq A) -> (Seq A)";
        // The words for strings, which cvc5 takes for sequences too.
        SeqStrConcat "str.++": "(Seq A) (Seq A) -> (Seq A) :left-assoc";
        SeqStrLen "str.len": "(Seq A) -> Int";
        SeqStrAt "str.at": "(Seq A) Int -> (Seq A)";
        SeqStrSubstr "str.substr": "(Seq A) Int Int -> (Seq A)";
        SeqStrContains "str.contains": "(Seq A) (Seq A) -> Bool";
        SeqStrIndexof "str.indexof": "(Seq A) (Seq A) Int -> Int";
        SeqStrReplace "str.replace": "(Seq A) (Seq A) (Seq A) -> (Seq A)";
        SeqStrReplaceAll "str.replace_all": "(Seq A) (Seq A) (Seq A) -> (Seq A)";
        SeqStrPrefixof "str.prefixof": "(Seq A) (Seq A) -> Bool";
        SeqStrSuffixof "str.suffixof": "(Seq A) (Seq A) -> Bool";
        SeqStrUpdate "str.update": "(Seq A) Int (Seq A) -> (Seq A)";
        SeqStrRev "str.rev": "(Seq A) -> (Seq A)";
        // Z3 takes the start position 0 as given.
        SeqIndexofFromStart "seq.indexof": "(Seq A) (Seq A) -> Int";
        SeqLastIndexof "seq.last_indexof": "(Seq A) (Seq A) -> Int";
        SeqMap "seq.map": "(-> A B) (Seq A) -> (Seq B)";
        SeqMapi "seq.mapi": "(-> Int A B) Int (Seq A) -> (Seq B)";
        SeqFoldl "seq.foldl": "(-> B A B) B (Seq A) -> B";
        SeqFoldli "seq.foldli": "(-> Int B A B) Int B (Seq A) -> B";
        SeqFoldLeft "seq.fold_left": "(-> B A B) B (Seq A) -> B";
        SeqFoldLefti "seq.fold_lefti": "(-> Int B A B) Int B (Seq A) -> B";
    }
    HigherOrder {
        // `(@ f a b)` is `(@ (@ f a) b)`.
        Apply "@": "(-> A B) A -> B :computed";
        // Written `((f a) b)`, as Z3 applies what is not a name.
        ApplyTerm "( )": "(-> A B) A -> B :computed";
        // Written `(_ as-array f)`: a function of Z3 as an array.
        AsArray "as-array": "(-> A B) -> (Array A B) :computed";
        // Written `((_ map f) a b)`: a function of Z3 applied to the elements of arrays.
        ArrayMap "map": "(-> B C) (Array A B) -> (Array A C) :computed";
        // The same with an operator of the language, whose name is the index.
        ArrayMapOp "(_ map f)": "(Array A B) (Array A B) -> (Array A Bool) :computed";
    }
    Tuples {
        Tuple "tuple": "A B -> (Tuple A B) :computed";
        TupleUnit "tuple.unit": "-> (Tuple)";
        TupleSelect "(_ tuple.select i)": "(Tuple A B) -> A :computed";
        TupleUpdate "(_ tuple.update i)": "(Tuple A B) A -> (Tuple A B) :computed";
        TupleProject "(_ tuple.project i..)": "(Tuple A B) -> (Tuple A) :computed";
    }
    Sets {
        SetEmpty "set.empty": "-> (Set A)";
        SetUniverse "set.universe": "-> (Set A)";
        SetSingleton "set.singleton": "A -> (Set A)";
        SetInsert "set.insert": "A (Set A) -> (Set A) :computed";
        SetUnion "set.union": "(Set A) (Set A) -> (Set A) :left-assoc";
        SetInter "set.inter": "(Set A) (Set A) -> (Set A) :left-assoc";
        SetMinus "set.minus": "(Set A) (Set A) -> (Set A) :left-assoc";
        SetComplement "set.complement": "(Set A) -> (Set A)";
        SetMember "set.member": "A (Set A) -> Bool";
        SetSubset "set.subset": "(Set A) (Set A) -> Bool";
        SetCard "set.card": "(Set A) -> Int";
        SetChoose "set.choose": "(Set A) -> A";
        SetIsEmpty "set.is_empty": "(Set A) -> Bool";
        SetIsSingleton "set.is_singleton": "(Set A) -> Bool";
        SetMap "set.map": "(-> A B) (Set A) -> (Set B)";
        SetFilter "set.filter": "(-> A Bool) (Set A) -> (Set A)";
        SetAll "set.all": "(-> A Bool) (Set A) -> Bool";
        SetSome "set.some": "(-> A Bool) (Set A) -> Bool";
        SetFold "set.fold": "(-> A B B) B (Set A) -> B";
    }
    Relations {
        RelJoin "rel.join": "(Set (Tuple A B)) (Set (Tuple B C)) -> (Set (Tuple A C)) :computed";
        RelProduct "rel.product": "(Set (Tuple A B)) (Set (Tuple C D)) -> (Set (Tuple A B C D)) :computed";
        RelTranspose "rel.transpose": "(Set (Tuple A B)) -> (Set (Tuple B A)) :computed";
        RelTclosure "rel.tclosure": "(Set (Tuple A A)) -> (Set (Tuple A A))";
        RelJoinImage "rel.join_image": "(Set (Tuple A A)) Int -> (Set (Tuple A))";
        RelIden "rel.iden": "(Set (Tuple A)) -> (Set (Tuple A A))";
        RelTableJoin "(_ rel.table_join i..)":
            "(Set (Tuple A B)) (Set (Tuple A C)) -> (Set (Tuple A B A C)) :computed";
        RelProject "(_ rel.project i..)": "(Set (Tuple A B)) -> (Set (Tuple A)) :computed";
        RelGroup "(_ rel.group i..)": "(Set (Tuple A B)) -> (Set (Set (Tuple A B))) :computed";
        RelAggregate "(_ rel.aggr i..)": "(-> (Tuple A B) C C) C (Set (Tuple A B)) -> (Set C) :computed";
    }
    Bags {
        BagEmpty "bag.empty": "-> (Bag A)";
        BagMake "bag": "A Int -> (Bag A)";
        BagUnionMax "bag.union_max": "(Bag A) (Bag A) -> (Bag A) :left-assoc";
        BagUnionDisjoint "bag.union_disjoint": "(Bag A) (Bag A) -> (Bag A) :left-assoc";
        BagInterMin "bag.inter_min": "(Bag A) (Bag A) -> (Bag A) :left-assoc";
        BagDifferenceSubtract "bag.difference_subtract": "(Bag A) (Bag A) -> (Bag A) :left-assoc";
        BagDifferenceRemove "bag.difference_remove": "(Bag A) (Bag A) -> (Bag A) :left-assoc";
        BagSubbag "bag.subbag": "(Bag A) (Bag A) -> Bool";
        BagCount "bag.count": "A (Bag A) -> Int";
        BagMember "bag.member": "A (Bag A) -> Bool";
        // `bag.duplicate_removal` until cvc5 1.1.
        BagSetof "bag.setof": "(Bag A) -> (Bag A)";
        BagCard "bag.card": "(Bag A) -> Int";
        BagChoose "bag.choose": "(Bag A) -> A";
        BagMap "bag.map": "(-> A B) (Bag A) -> (Bag B)";
        BagFilter "bag.filter": "(-> A Bool) (Bag A) -> (Bag A)";
        BagAll "bag.all": "(-> A Bool) (Bag A) -> Bool";
        BagSome "bag.some": "(-> A Bool) (Bag A) -> Bool";
        BagFold "bag.fold": "(-> A B B) B (Bag A) -> B";
        BagPartition "bag.partition": "(-> A A Bool) (Bag A) -> (Bag (Bag A))";
        TableProduct "table.product":
            "(Bag (Tuple A B)) (Bag (Tuple C D)) -> (Bag (Tuple A B C D)) :computed";
        TableProject "(_ table.project i..)": "(Bag (Tuple A B)) -> (Bag (Tuple A)) :computed";
        TableJoin "(_ table.join i..)":
            "(Bag (Tuple A B)) (Bag (Tuple A C)) -> (Bag (Tuple A B A C)) :computed";
        TableGroup "(_ table.group i..)": "(Bag (Tuple A B)) -> (Bag (Bag (Tuple A B))) :computed";
        TableAggregate "(_ table.aggr i..)": "(-> (Tuple A B) C C) C (Bag (Tuple A B)) -> (Bag C) :computed";
    }
    FiniteFields {
        FfAdd "ff.add": "(Field A) (Field A) -> (Field A) :left-assoc";
        FfMul "ff.mul": "(Field A) (Field A) -> (Field A) :left-assoc";
        FfNeg "ff.neg": "(Field A) -> (Field A)";
        // `(ff.bitsum a b c)` is a + 2 b + 4 c.
        FfBitsum "ff.bitsum": "(Field A) (Field A) -> (Field A) :computed";
    }
    Nullables {
        NullableNull "nullable.null": "-> (Nullable A)";
        NullableSome "nullable.some": "A -> (Nullable A)";
        NullableVal "nullable.val": "(Nullable A) -> A";
        NullableIsNull "nullable.is_null": "(Nullable A) -> Bool";
        NullableIsSome "nullable.is_some": "(Nullable A) -> Bool";
        NullableLift "nullable.lift": "(-> A B) (Nullable A) -> (Nullable B) :computed";
        // The same with an operator of the language, whose name is the index.
        NullableLiftOp "(_ nullable.lift f)": "(Nullable A) (Nullable A) -> (Nullable Bool) :computed";
    }
    FiniteSets {
        FiniteSetEmpty "set.empty": "-> (FiniteSet A)";
        FiniteSetSingleton "set.singleton": "A -> (FiniteSet A)";
        FiniteSetRange "set.range": "Int Int -> (FiniteSet Int)";
        FiniteSetUnion "set.union": "(FiniteSet A) (FiniteSet A) -> (FiniteSet A) :left-assoc";
        FiniteSetIntersect "set.intersect": "(FiniteSet A) (FiniteSet A) -> (FiniteSet A) :left-assoc";
        FiniteSetDifference "set.difference": "(FiniteSet A) (FiniteSet A) -> (FiniteSet A)";
        FiniteSetIn "set.in": "A (FiniteSet A) -> Bool";
        FiniteSetSubset "set.subset": "(FiniteSet A) (FiniteSet A) -> Bool";
        FiniteSetSize "set.size": "(FiniteSet A) -> Int";
        FiniteSetMap "set.map": "(-> A B) (FiniteSet A) -> (FiniteSet B)";
        FiniteSetFilter "set.filter": "(-> A Bool) (FiniteSet A) -> (FiniteSet A)";
    }
    Separation {
        SepEmp "sep.emp": "-> Bool";
        SepNil "sep.nil": "-> A";
        SepPto "pto": "A B -> Bool";
        SepStar "sep": "Bool Bool -> Bool :left-assoc";
        SepWand "wand": "Bool Bool -> Bool";
    }
    Cardinality {
        // The first index is a sort.
        FmfCard "(_ fmf.card sort n)": "-> Bool :where 1<=n";
    }
}
